"""The configuration as it is, with what a trial needs to see idle servers go within seconds."""

c = get_config()
load_subconfig("/srv/jupyterhub/jupyterhub_config.py")

c.Spawner.environment["JUPYTERHUB_ACTIVITY_INTERVAL"] = "2"  # seconds
c.JupyterHub.services.append({"name": "impatient", "api_token": "impatient"})
c.JupyterHub.load_roles.append(
    {**c.JupyterHub.load_roles[0], "name": "impatient", "services": ["impatient"]}
)
