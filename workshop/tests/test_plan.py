"""Test the plans: their pages are up to date, and a faulty plan raises one clear error."""

import re

import pytest

from utils.checks import bank
from utils.checks.kinds import kind_of
from workshop import plan

every_plan = pytest.mark.parametrize("path", plan.PLANS, ids=lambda path: path.stem)
STEP = '{ minutes = 10, show = "01 · 5. Sharp or flat: the temperature" }'


def write_plan(folder, step=STEP, minutes=10):
    file = folder / "short.toml"
    head = 'title = "Short"\nsubtitle = "A few minutes."\n[[days]]\n'
    file.write_text(f"{head}minutes = {minutes}\nsteps = [{step}]\n", encoding="utf-8")
    return file


@every_plan
def test_pages_are_up_to_date(path):
    stored = (plan.HERE / f"{path.stem}.md").read_text(encoding="utf-8")
    assert stored == plan.page(path), "run `make plans`"


def test_there_is_a_plan_for_each_length_and_no_page_without_one():
    ends = {
        path.stem: re.findall(r"^\| (\d+:\d\d) \| \| \|", plan.page(path), re.M)
        for path in plan.PLANS
    }
    assert ends == {"90-minutes": ["1:30"], "half-day": ["3:30"], "two-days": ["6:30", "6:30"]}
    assert {path.stem for path in plan.HERE.glob("*.md")} == ends.keys()


@every_plan
def test_a_tenth_of_each_day_can_go_and_nobody_sits_for_two_hours(path):
    for day in plan.tomllib.loads(path.read_text(encoding="utf-8"))["days"]:
        spare = sum(step["minutes"] for step in day["steps"] if step.get("optional"))
        assert spare >= day["minutes"] / 10
        stretches = [0]
        for step in day["steps"]:
            stretches = [*stretches, 0] if "pause" in step else stretches
            stretches[-1] += step["minutes"]
        assert max(stretches) <= 120


def test_no_page_gives_an_answer_or_a_hint_away():
    named = 0
    for text in map(plan.page, plan.PLANS):
        for task in (task for tasks in bank.tasks().values() for task in tasks):
            if f"`{task.id}`" in text:
                named += 1
                assert kind_of(task).is_code, "its mistakes leave only the answer"
                assert not [hint for hint in task.hints if hint in text]
    assert named > 3


def test_a_section_comes_with_what_the_notebook_and_the_catalogue_say(tmp_path):
    steps = (
        '{ minutes = 12, show = "01 · 3. A look-up that is soft" },'
        '{ minutes = 3, show = "01 · 5. Sharp or flat: the temperature" }'
    )
    text = plan.page(write_plan(tmp_path, steps, 15))
    assert "| 0:00 | 12 | 7 | [01 · 3. A look-up that is soft](../notebooks/01_" in text
    assert '**Say.** `{"cat": "chat", "mat": "tapis"}["cat"]` is a look-up: ' in text
    assert "does cat get?* (1.7 / 4 / 55 / 10,000) Then run it: 55." in text
    common = bank.misconceptions()["softmax-over-queries"]
    assert f"**Some will believe** that {common.belief}. **Say:** {common.advice}" in text


def test_a_misconception_is_spoken_of_once_a_day(tmp_path):
    text = plan.page(write_plan(tmp_path, f"{STEP}, {STEP}", 20))
    named = re.findall(r"\*\*Some will believe\*\* that (.*?)\.", text)
    assert len(named) == len(set(named)) == 2 * plan.MOST


BEFORE = '{ minutes = 17, show = "04 · 2. What large scores do to the softmax"'
BEHIND = '{ minutes = 8, show = "04 · 3. Scaled dot-product attention" }'
RUN = "choose *Run ▸ Run All Above Selected Cell*"


def test_where_a_section_rests_on_one_that_is_not_shown_all_above_is_run_first(tmp_path):
    alone = plan.page(write_plan(tmp_path, BEHIND, 8))
    assert (
        f"**First.** Click on its heading and {RUN}, best in a break before: it rests on " in alone
    )
    assert "rests on *2. What large scores do to the softmax*.\n" in alone
    shown = plan.page(write_plan(tmp_path, f"{BEFORE} }}, {BEHIND}", 25))
    assert shown.count("**First.**") == shown.count(RUN) == 1, "section 2 rests on section 1"
    late = plan.page(write_plan(tmp_path, f"{BEFORE}, optional = true }}, {BEHIND}", 25))
    assert late.count(RUN) == 2
    assert f"Then click on *3. Scaled dot-product attention*, which rests on it, and {RUN}" in late


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (
            '{ minutes = 10, show = "01 · 5. Sharp or flat: temperature" }',
            "short.toml: notebook 01 has no section '5. Sharp or flat: temperature'. Did you mean "
            "'5. Sharp or flat: the temperature'?",
        ),
        (
            '{ minutes = 10, show = "5. Sharp or flat: the temperature" }',
            "short.toml: there is no notebook '5. Sharp or flat: the temperature': write "
            "`01 · 1. A first picture`.",
        ),
        (
            '{ minutes = 10, task = "entrpy" }',
            "short.toml: the exercises have no task 'entrpy'. Did you mean 'entropy'?",
        ),
        (
            '{ minutes = 10, task = "gaussian_window" }',
            "short.toml: gaussian_window gets 10 minutes, and takes 15 alone: give it more, and a "
            "pause or another step less.",
        ),
        (
            '{ minutes = 9, pause = "Break" }',
            "short.toml: the steps take 9 minutes, the day has 10.",
        ),
        (
            '{ minutes = 10, pause = "Break", task = "entropy" }',
            "short.toml: a step of 10 minutes needs one of `show`, `task`, `turn` and `pause`.",
        ),
    ],
)
def test_what_does_not_fit_is_one_line_that_names_the_file(tmp_path, step, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        plan.page(write_plan(tmp_path, step))
