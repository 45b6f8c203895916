"""Configure JupyterHub on a Linux machine with an account for each learner: see docs/hub.md.

`start.py` has to lie beside this file; neither file imports anything of the course.
"""

import sys
from pathlib import Path

c = get_config()  # JupyterHub defines this function

# The learners' course, as `make release` packs it, without solutions. Everybody may read it, only
# root may write it, and it is installed in the Python that runs this file.
COURSE = Path("/srv/attention-course")

# --- Who may come in ------------------------------------------------------------------------------

# Only this machine reaches the hub; a web server in front of it serves the network, with HTTPS.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.authenticator_class = "pam"  # the machine's own accounts and passwords
c.PAMAuthenticator.allowed_groups = {"learners"}

# --- What a learner gets --------------------------------------------------------------------------

c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
# Runs as the learner: copies new files of the course, sets the limits, becomes the server.
c.Spawner.cmd = [sys.executable, str(Path(__file__).with_name("start.py").resolve())]
c.Spawner.notebook_dir = "~/attention-course"
c.Spawner.default_url = "/lab/tree/notebooks/01_attention_concepts.ipynb"
c.Spawner.environment = {
    "COURSE": str(COURSE),
    "JUPYTER_CONFIG_PATH": str(COURSE / ".jupyter"),
    # One thread for each process: with a thread for each processor, learners slow each other down.
    "OMP_NUM_THREADS": "1",
    # Guesses are kept in the learner's home, where `python -m grading watch` counts them.
    "COURSE_ROOM": "1",
    # Most processes that a learner can run, threads included; a kernel has about a dozen.
    "PROCESSES": "500",
}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # seconds: a whole class may start at once
c.JupyterHub.concurrent_spawn_limit = 20  # while 20 start, more learners have to try again

# --- Limits ---------------------------------------------------------------------------------------

# LocalProcessSpawner only passes the limit on. `start.py` enforces it for each process: a cell that
# takes more ends with an error, and its kernel lives on. Neither the sum of a learner's processes
# nor processor time is limited; for that, see docs/hub.md.
c.Spawner.mem_limit = "3G"

# --- Stop what nobody uses, without losing anything that was saved --------------------------------

# Stop kernels of notebooks that no browser shows, after half an hour ...
c.Spawner.args = [
    "--MappingKernelManager.cull_idle_timeout=1800",
    "--MappingKernelManager.cull_interval=300",
]
# ... and a learner's server, after an hour in which nothing was run.
c.JupyterHub.services = [
    {
        "name": "culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=3600"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "culler",
        "services": ["culler"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]
