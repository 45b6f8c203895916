"""The vocabulary of misconceptions: false beliefs that learners show in any of the tasks.

The name of a mistake says what a wrong answer does ("softmax over the heads"); its misconception is
the belief behind it, which many tasks share. So a learner can see which beliefs keep coming back,
and an instructor can see which beliefs a class holds. A belief may stand alone, where no other
explains a mistake.
"""

from utils.checks.tasks import Misconception

_ALL = [
    # softmax: what is shared out, and among whom
    Misconception(
        "softmax-over-queries",
        "queries compete with each other for the keys",
        "Each query shares out its own attention among the keys. The softmax runs along the axis "
        "of the keys, which is the last one, and each row sums to 1.",
    ),
    Misconception(
        "softmax-over-batch",
        "sentences of a batch, or heads, compete with each other for attention",
        "Members of a batch know nothing of each other, and neither do heads. The softmax runs "
        "along the axis of the keys, within each of them.",
    ),
    Misconception(
        "scores-as-weights",
        "scores and weights are the same thing",
        "A score can be negative and of any size. Only the softmax turns the scores of a row into "
        "weights: positive, and 1 in total.",
    ),
    Misconception(
        "shares-need-not-sum-to-one",
        "the shares of a whole may sum to anything",
        "Weights, like probabilities, are shares of one whole: none is negative, and those of a "
        "row sum to 1.",
    ),
    Misconception(
        "softmax-twice",
        "a softmax leaves shares as they are",
        "The softmax of numbers between 0 and 1 is nearly flat. Take it once, of scores; a loss "
        "that takes logits takes the softmax itself.",
    ),
    Misconception(
        "hard-choice",
        "a hard choice does as well as a soft one",
        "A hard choice ignores all keys but one and passes back hardly any gradient. Soft weights "
        "let every key take part, and learn.",
    ),
    Misconception(
        "divide-again",
        "rows can always be put right by dividing them by their sum",
        "Dividing hides a fault: it cannot bring back what was rounded to 0 or shared out wrongly, "
        "and an empty row gives 0 / 0. Where a row is meant to sum to less than 1, it destroys "
        "what the sum says.",
    ),
    Misconception(
        "formula-is-safe",
        "a formula that is right on paper is right for every number",
        "Floats overflow, and 0 / 0, 0 · log 0 and 0 · ∞ are NaN. Ask of every `exp`, `log` and "
        "division what the most extreme input makes of it.",
    ),
    # masks
    Misconception(
        "mask-after-softmax",
        "a mask works after the softmax as well as before it",
        "After the softmax, hidden keys have already taken their share of the row, and the others "
        "do not get it back. The mask belongs to the scores.",
    ),
    Misconception(
        "mask-upside-down",
        "`True` in a mask means hidden",
        "In this course, and in `F.scaled_dot_product_attention`, `True` means: may be attended "
        "to. `nn.MultiheadAttention` means the opposite.",
    ),
    Misconception(
        "low-score-hides",
        "a low score, or a score of 0, gets no attention",
        "A score of 0 is a score like any other: `exp(0)` is 1. Only the lowest number there is "
        "makes a weight of exactly 0, and any weight above 0 is a leak.",
    ),
    Misconception(
        "mask-as-number",
        "a boolean mask can be added to scores, or multiplied with them",
        "In arithmetic `True` is 1 and `False` is 0, which hides nothing. `masked_fill` writes a "
        "number exactly where the mask says so.",
    ),
    Misconception(
        "padding-is-harmless",
        "padding does no harm if it is left alone",
        "Padding gets a share of the attention, and a recurrent network takes a step for it, "
        "unless a mask prevents it. What it has touched cannot be undone afterwards.",
    ),
    Misconception(
        "padding-in-loss",
        "padding may count in a loss, or in its mean",
        "Padding is no answer to anything. Leave it out of the sum and out of the number that the "
        "sum is divided by.",
    ),
    Misconception(
        "row-is-sentence",
        "a sentence is as long as its row in the batch",
        "Rows are padded to the longest sentence of the batch. Only its length, or its mask, "
        "tells where a sentence ends.",
    ),
    Misconception(
        "no-empty-rows",
        "every row has at least one key to look at",
        "A row can be masked whole. A softmax of minus infinities alone is 0 / 0, which is NaN; "
        "such a row should get zero weights.",
    ),
    Misconception(
        "empty-rows-sum-to-one",
        "a row that is masked whole still hands out its attention",
        "Where nothing may be looked at, all weights are 0. Equal low scores give equal shares, "
        "so the mask has to come once more, after the softmax.",
    ),
    Misconception(
        "future-open",
        "a word may be read before it has been written",
        "Whoever writes from left to right cannot read ahead. Row i of a causal mask is open up to "
        "column i; a decoder that has read word t is asked for word t + 1.",
    ),
    Misconception(
        "masks-everywhere",
        "every map has padding, or a future, to hide",
        "Only a decoder must not look ahead, and only a sentence that was filled up has padding. "
        "Ask first whose map it is.",
    ),
    # scale and temperature
    Misconception(
        "no-scale",
        "dot products need no scaling, however wide the vectors are",
        "A dot product of width d adds up d terms, so its spread grows like √d. Dividing by √d "
        "keeps the softmax from choosing too hard.",
    ),
    Misconception(
        "scale-by-width",
        "scores are divided by the width, not by its root",
        "The *variance* of a dot product is d, and its spread is the root of that. Divided by d, "
        "scores of wide vectors come out nearly equal.",
    ),
    Misconception(
        "wrong-width",
        "any width or length at hand will do under the root of the scale",
        "Under the root stands the number of terms that one dot product adds up: the width of the "
        "query and key as they meet, within one head.",
    ),
    Misconception(
        "temperature-upside-down",
        "a high temperature makes attention sharper",
        "Scores are divided by the temperature. Hot means small differences and nearly equal "
        "shares; cold means one key takes nearly all.",
    ),
    Misconception(
        "temperature-effect",
        "a temperature changes the ranking of the keys, or nothing at all",
        "A temperature stretches or shrinks the differences between scores. It changes how the "
        "weight is spread, and never which key gets the most.",
    ),
    Misconception(
        "dot-is-cosine",
        "a dot product compares directions only",
        "In a dot product the lengths count as well: a query twice as long doubles its scores, "
        "and attends more sharply.",
    ),
    Misconception(
        "variance-is-spread",
        "variance, standard deviation and mean square are the same thing",
        "The variance is the mean squared distance from the *mean*; the standard deviation is its "
        "root. Halve the numbers, and the variance falls to a quarter.",
    ),
    # queries, keys, values
    Misconception(
        "keys-handed-out",
        "what is compared with the query is also what is handed out",
        "Keys, projected or not, decide where to look. What the weights mix are the values; where "
        "no values are given, the keys as they came.",
    ),
    Misconception(
        "who-asks",
        "it does not matter which side asks and which is asked",
        "Queries ask, and make the rows; keys are asked, and make the columns. Each side has its "
        "own sequence, projection and mask.",
    ),
    Misconception(
        "rows-are-keys",
        "the rows of a table of weights are the words that are looked at",
        "A row belongs to the word that looks, a column to a word that is looked at: "
        "(tgt_len, src_len).",
    ),
    Misconception(
        "reads-by-columns",
        "a column tells where a word looks",
        "The row of a word tells where it looks, and its weights sum to 1. A column tells who "
        "looks at a word, and may sum to anything.",
    ),
    Misconception(
        "projection-left-out",
        "a projection can be left out",
        "Each projection has a job of its own: making queries, keys and values, mixing the heads, "
        "turning answers into a score. A weight that you never use is a step that is missing.",
    ),
    Misconception(
        "stale-value",
        "a value is the same before a step and after it",
        "Whatever a step changes exists twice, before and after. Say which of the two each line "
        "means, and follow one value through two rounds of the loop.",
    ),
    # scores
    Misconception(
        "nonlinearity-left-out",
        "a nonlinearity makes no difference",
        "Without it two layers are one. In an additive score the query then adds the same to "
        "all scores of its row, and the softmax does not see it.",
    ),
    Misconception(
        "steps-in-any-order",
        "the steps of a formula may change places",
        "`tanh`, softmax and root bend what goes through them, so it matters what comes before. "
        "Read the formula from the inside out and write one line for each step.",
    ),
    Misconception(
        "scores-alike",
        "what holds for one kind of score holds for the others",
        "Dot products grow with their inputs, without bound; an additive score levels off, as its "
        "`tanh` does. Neither the scale, nor the `tanh`, nor the cost of one carries over to the "
        "other.",
    ),
    Misconception(
        "scale-everywhere",
        "every score is divided by √d",
        "The scale belongs to *scaled* dot-product attention. A plain dot product, or one with a "
        "learned matrix in it, has none.",
    ),
    Misconception(
        "local-attention-roughly",
        "in local attention the window and the Gaussian need not be exact",
        "The window holds the 2D + 1 positions around the *nearest* position and decides who "
        "takes part in the softmax. The Gaussian stands around the centre as it came, and weights "
        "them.",
    ),
    # shapes
    Misconception(
        "shape-is-enough",
        "numbers are in their places once the shape is right",
        "`view` and `reshape` count through the numbers anew and never swap two axes; `transpose` "
        "does. Try it on `torch.arange(6)` and follow one number.",
    ),
    Misconception(
        "axes-anywhere",
        "it does not matter where an axis stands",
        "The order is (batch, heads, tgt_len, src_len) everywhere. Count from the end (`-1`) "
        "where the number of axes can vary.",
    ),
    Misconception(
        "parts-in-any-order",
        "parts may be joined, or results returned, in any order",
        "A matrix has its first columns for the part that comes first, and a caller unpacks what "
        "comes back by place. Where the shapes fit by chance, nothing complains.",
    ),
    Misconception(
        "matrix-as-stored",
        "a layer stores its matrix as (in, out)",
        "PyTorch and this course store a matrix as (out, in): a row for each output. A vector x "
        "is projected to W x, a batch of rows to `x @ W.T`.",
    ),
    Misconception(
        "sizes-always-equal",
        "two sizes that are often equal are always equal",
        "Queries and keys, keys and values, source and target may differ in size. Give every size "
        "a name of its own and try your code where no two are alike.",
    ),
    Misconception(
        "one-for-all",
        "what belongs to one member of a batch serves all of them",
        "Each member of a batch has its own keys, length, temperature and end. A change in one "
        "must not change another.",
    ),
    Misconception(
        "input-unused",
        "an input can be left out of the computation",
        "Every input is there because the answer depends on it. Change one and call again: where "
        "nothing moves, it is not used.",
    ),
    # heads
    Misconception(
        "heads-as-one",
        "several heads can be treated as one",
        "Every head has a map of its own, and its own slots in the output. A mean or a sum of "
        "heads cannot be taken apart again.",
    ),
    Misconception(
        "heads-share-the-width",
        "more heads mean more than thinner heads",
        "Heads share the width of the model: twice the heads, each half as wide, of half the "
        "rank, with the same four matrices and as many parameters.",
    ),
    # order and positions
    Misconception(
        "attention-sees-order",
        "attention knows in which order its words stand",
        "Without positions or a causal mask attention sees a bag of words, and a sum of heads has "
        "no first head.",
    ),
    Misconception(
        "row-is-word",
        "row i belongs to word i, whatever was done before",
        "After shuffling, sorting, turning or cutting, row i is another word. Carry the positions "
        "along, and undo the reordering at the end.",
    ),
    Misconception(
        "clocks",
        "the clocks of a positional code may pair up and run at any speed",
        "Clock i fills columns 2i and 2i + 1 with the sine and cosine of *one* angle, and each "
        "clock runs more slowly than the one before.",
    ),
    Misconception(
        "places-begin-at-zero",
        "the first word that a function is given stands at place 0",
        "In a step with a cache the new word comes alone, and stands behind all that was written. "
        "Its place has to be handed on.",
    ),
    Misconception(
        "layouts-alike",
        "it does not matter which two entries of a vector turn together",
        "Neighbours, or entries half a width apart: both are right, and a permutation leads from "
        "one to the other. But queries, keys and trained weights have to keep to one of them.",
    ),
    Misconception(
        "turned-again",
        "to turn a vector once more does no harm",
        "A vector is turned once, by its own place. Turned twice, its scores no longer depend on "
        "the distance alone.",
    ),
    # training and decoding
    Misconception(
        "one-mode-for-all",
        "training mode and evaluation mode come to the same",
        "Dropout works in training mode alone: switch to it before each step, and to evaluation "
        "mode before each measurement.",
    ),
    Misconception(
        "card-at-face-value",
        "a field of a configuration means what its name says, and counts because it is there",
        "Fields are switched off, overruled by others, or hold for some layers only. Ask what the "
        "model does with a field; the shapes of its tensors decide.",
    ),
    Misconception(
        "clipping-reshapes",
        "clipping does more to a gradient than shorten it",
        "Clipping by norm multiplies the whole gradient by one factor of at most 1: its direction "
        "stays, and a short one is left alone.",
    ),
    Misconception(
        "cure-without-cause",
        "a cure for one illness of training helps against another",
        "Ask first what is too large or too small: scores, gradients or steps. A cure works on one "
        "of them, and in one direction.",
    ),
    Misconception(
        "teacher-forcing",
        "under teacher forcing a decoder reads something other than the right words so far",
        "With teacher forcing each step reads the right word before it, whatever the decoder "
        "would have written. The first word is guessed from `<sos>` in either case.",
    ),
    Misconception(
        "marks-are-words",
        "`<sos>`, `<eos>` and padding are words like any other",
        "`<sos>` is given, `<eos>` ends, padding fills up: none is part of a translation. `<unk>` "
        "stands for a word and stays.",
    ),
    Misconception(
        "finished-goes-on",
        "a sentence that has ended takes part in the steps that follow",
        "Remember which sentences have ended. They write padding and keep their score, while the "
        "others go on.",
    ),
    # measuring and counting
    Misconception(
        "sum-and-mean",
        "a sum and a mean are interchangeable",
        "They differ by the number of terms, which varies with length, width or batch. Check "
        "which of the two the formula has, and over how many terms.",
    ),
    Misconception(
        "averages-anywhere",
        "it does not matter over what, or when, one averages",
        "A mean of quotients, maps or maxima is not the quotient, map or maximum of the means. Say "
        "over which axes a number is taken, and what comes first.",
    ),
    Misconception(
        "logarithm",
        "a number, its logarithm and a logit can stand for each other",
        "Products of probabilities are sums of logarithms. `exp` turns an entropy into a number of "
        "words, and only `log_softmax` turns logits into log-probabilities.",
    ),
    Misconception(
        "largest-of-a-row",
        "some other figure of a row will do in place of its largest entry",
        "The largest entry, its position, a mark there, the mean and a threshold are different "
        "things. The largest weight can be well below a half.",
    ),
    Misconception(
        "length-of-a-vector",
        "the length of a vector is the sum of its entries, or of the lengths of its parts",
        "A length is the root of the sum of all squares: parts of 3 and 4 make 5. Distances are "
        "squared before they are added, too.",
    ),
    Misconception(
        "constant-factor",
        "a constant factor, a sign or a unit does not matter",
        "A wrong factor gives a wrong answer that looks right. Check one value by hand, with its "
        "sign and unit.",
    ),
    Misconception(
        "map-by-one-sign",
        "one sign is enough to tell what ails a map",
        "Look both along the rows and across them: how many words each row looks at, and how many "
        "all rows look at together.",
    ),
    Misconception(
        "curve-by-its-end",
        "a training run can be judged by where its curve ends",
        "Read a curve from its first point: where it starts, where it leaves a healthy one, what "
        "comes back in every epoch, and whether two curves measure the same thing.",
    ),
    Misconception(
        "biases-by-the-way",
        "it does not matter how many biases a layer has",
        "A layer has one bias for each of its *outputs*, and each layer has a set of its own. "
        "Where the formula has no bias, there is none.",
    ),
    # slips of programming and reading
    Misconception(
        "off-by-one",
        "one position more or less makes no difference",
        "Positions count from 0, the last of n is n - 1, and `:n` ends before n. Try the shortest "
        "case, and look at the first and the last entry.",
    ),
    Misconception(
        "opposite",
        "a question and its opposite have the same answer",
        "Say in words what `True`, the largest value or the share stands for, and try an input "
        "where the answer is plain.",
    ),
    Misconception(
        "wrong-end",
        "a sequence may be read or cut from either end",
        "Direction carries meaning: padding stands at the end, and the first columns are not the "
        "last ones. Follow one sentence from its first word on.",
    ),
    Misconception(
        "half-is-enough",
        "one half of what belongs together is enough",
        "More than one thing has to hold here: on both sides, along both axes, for the right rows. "
        "Name them, and find each in your code.",
    ),
    Misconception(
        "written-form",
        "it does not matter how words and figures are written",
        "Texts are compared letter by letter, so spaces and capitals count; figures by their "
        "amount, so 12.00 is 12, and in French 12,5 is 12.5.",
    ),
    # testing what others have written
    Misconception(
        "plausible-is-right",
        "a result that looks plausible is right",
        "Most bugs leave the shapes as they are, and rows that sum to 1. Compare with numbers that "
        "you have worked out in another way.",
    ),
    Misconception(
        "even-inputs",
        "inputs that are all alike show as much as any others",
        "Between equal numbers, and along axes of equal length, nothing shows what was mixed up. "
        "Choose numbers and sizes no two of which are the same.",
    ),
    Misconception(
        "failing-is-finding",
        "a test that fails has found a bug",
        "A test can be wrong too, or ask for more digits than two right answers share. Try it "
        "first on something that you know to be right.",
    ),
    Misconception(
        "another-task",
        "a task asks for something slightly different from what it says",
        "Your code does something sensible that is not quite what was asked. Read the sentence "
        "again that says what to return.",
    ),
    Misconception(
        "one-run-tells",
        "one run, or a few, shows what a model does",
        "Two runs that differ in their seed alone may end far apart. Take so many seeds that luck "
        "alone would hardly order them as you saw it, and look at all of them.",
    ),
    Misconception(
        "two-changes-one-cause",
        "of two things that were changed, the one that was meant is the cause",
        "Arms that are compared differ in one thing, the one that the claim speaks of. What "
        "changes with it needs an arm of its own.",
    ),
    Misconception(
        "best-run-counts",
        "the best run speaks for a model",
        "The best of several runs is better the more of them there are. Compare ranges, and tell "
        "how many were run.",
    ),
    Misconception(
        "undecided-is-no",
        "what an experiment does not show is not so",
        "A difference may be there and too small for these seeds, or come after the last step. Say "
        "what was seen, for how long, and that it is not decided.",
    ),
    Misconception(
        "undecided-is-safe",
        "one cannot go wrong with *not decided*",
        "Doubt has to be about something. Say what you would have to see to be convinced, and look "
        "whether you see it.",
    ),
    Misconception(
        "wider-than-shown",
        "what was seen under one condition holds under all",
        "A conclusion is as wide as what was tried: these sizes, rates, seeds and steps. A single "
        "exception is enough against *always* and *never*.",
    ),
]

MISCONCEPTIONS = {misconception.slug: misconception for misconception in _ALL}
