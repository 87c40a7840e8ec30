"""What every started command needs, imported once for all of them. It must start no thread and open no file."""

from __future__ import annotations

import gc
import importlib
import os
import pkgutil

import sqlalchemy.orm
from streamlit.components.v2 import manifest_scanner

import app.cli
import app.server
import app.views
import workflow
from annotation_schemas import shipped
from annotation_schemas.loader import load_schema
from db import upgrade
from testkit import job_processes, passwords, seeds

_components = manifest_scanner.scan_component_manifests()
"""Streamlit asks all installed packages for components whenever a server starts: a good part of what a start takes."""
manifest_scanner.scan_component_manifests = lambda max_workers=None: _components

for _room in (app.views, workflow):
    for _module in pkgutil.walk_packages(_room.__path__, f"{_room.__name__}."):
        importlib.import_module(_module.name)

os.environ["JE_ARROW_MALLOC_CONF"] = "background_thread:false"  # or pyarrow, which pandas loads, starts a thread
for _package in (
    "alembic.command",
    "anyio._backends._asyncio",
    "examples.demo",
    "openai",
    "pandas",  # Streamlit loads it with the first page that it draws
    "starlette.applications",
    "starlette.middleware.sessions",
    "starlette.staticfiles",
    "streamlit.web.server.starlette.starlette_agent_routes",
    "uvicorn.lifespan.on",
    "uvicorn.logging",
    "uvicorn.loops.uvloop",
    "uvicorn.protocols.http.httptools_impl",
    "uvicorn.protocols.websockets.websockets_sansio_impl",
):
    importlib.import_module(_package)
app.cli.command()
upgrade._scripts().get_current_head()  # each command asks it
passwords.quicken()
job_processes.hurry()
seeds.settle("served")
sqlalchemy.orm.configure_mappers()
for _schema in shipped().values():
    load_schema(_schema)  # what a text means is worked out once in a process, and each command would do it again

gc.collect()
gc.freeze()  # or each command's collector looks through all of this, and the process gets a copy of it by that
