"""What every started command needs, imported once for all of them. It must start no thread and open no file."""

from __future__ import annotations

import importlib
import pkgutil

import app.cli
import app.server
import app.views
import workflow
from testkit import passwords, seeds

for _room in (app.views, workflow):
    for _module in pkgutil.walk_packages(_room.__path__, f"{_room.__name__}."):
        importlib.import_module(_module.name)

app.cli.command()
passwords.quicken()
seeds.settle("served")
