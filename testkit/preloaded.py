"""What every started command needs, imported once for all of them. It must start no thread and open no file."""

from __future__ import annotations

import importlib
import pkgutil

import app.cli
import app.server
import app.views
import workflow

for _room in (app.views, workflow):
    for _module in pkgutil.iter_modules(_room.__path__):
        importlib.import_module(f"{_room.__name__}.{_module.name}")

app.cli.command()
