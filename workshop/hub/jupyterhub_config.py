"""Configure JupyterHub on a Linux machine with an account for each learner: docs/hub.md says how.

`start.py` has to lie beside this file; neither needs anything else of the course.
"""

import sys
from pathlib import Path

c = get_config()  # which JupyterHub gives

# The learners' course, as `make release` packs it: no solutions. Everybody may read it, nobody but
# root may write, and it is installed in the Python that runs this.
COURSE = Path("/srv/attention-course")

# --- Who may come in ------------------------------------------------------------------------------

# To the network, a web server in front of this speaks, with HTTPS.
c.JupyterHub.bind_url = "http://127.0.0.1:8000"
c.JupyterHub.authenticator_class = "pam"  # the machine's own accounts and passwords
c.PAMAuthenticator.allowed_groups = {"learners"}

# --- What a learner gets --------------------------------------------------------------------------

c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
# Runs as the learner: brings what is new of the course, sets the limits, becomes the server.
c.Spawner.cmd = [sys.executable, str(Path(__file__).with_name("start.py").resolve())]
c.Spawner.notebook_dir = "~/attention-course"
c.Spawner.default_url = "/lab/tree/notebooks/01_attention_concepts.ipynb"
c.Spawner.environment = {
    "COURSE": str(COURSE),
    "JUPYTER_CONFIG_PATH": str(COURSE / ".jupyter"),
    # One thread each: with as many as there are processors, learners only get in each other's way.
    "OMP_NUM_THREADS": "1",
    # Of all that a learner runs, threads included; a kernel has about a dozen.
    "PROCESSES": "500",
}
c.Spawner.start_timeout = c.Spawner.http_timeout = 300  # seconds: a class that starts all at once
c.JupyterHub.concurrent_spawn_limit = 20  # who comes behind them is asked to try again

# --- Limits ---------------------------------------------------------------------------------------

# LocalProcessSpawner only tells the server. `start.py` holds each process to it: a cell that takes
# more ends with an error, and its kernel lives on. It does not hold the sum of a learner's
# processes, nor processor time; for that, see docs/hub.md.
c.Spawner.mem_limit = "3G"

# --- What nobody uses is stopped, and nothing that was saved is lost ------------------------------

# Kernels of notebooks that no browser shows, after half an hour ...
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
