"""The libraries that models on this machine need, and their errors in words."""

from __future__ import annotations

import importlib
import os

from domain.errors import ModelError
from domain.installation import install_hint


def needs_libraries() -> None:
    """Raise ``ModelError`` with a sentence if the libraries of local models are missing or broken."""
    # Threads of torch that wait for each other sleep instead of spinning. A web server, a database or a second worker
    # on the same cores otherwise makes small models tens of times slower. It counts if torch is not imported yet.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    for package in ("torch", "transformers", "tokenizers", "PIL"):
        try:
            importlib.import_module(package)
        except ImportError as error:
            missing = getattr(error, "name", None) or package
            raise ModelError(
                f"Local models need {package}, but {missing} is not installed. {install_hint('models')}"
            ) from error
        except Exception as error:  # a broken installation can raise anything
            raise ModelError(
                f"Python cannot import {package}, although the package is installed. Install the package again. "
                f"Error: {short_error(error)}"
            ) from error
    try:
        from transformers import AutoModelForImageTextToText, AutoProcessor  # noqa: F401
    except Exception as error:  # a torchvision built for another torch takes all of transformers down with it
        if "torchvision" in f"{error} {error.__cause__}":
            raise ModelError(
                "Python cannot import transformers because the installed torchvision was built for another version "
                "of torch. Uninstall torchvision (Touchstone does not need it), or install the build for your "
                "version of torch."
            ) from error
        raise ModelError(
            "Python cannot import transformers, although the package is installed. Install the package again. "
            f"Error: {short_error(error)}"
        ) from error


def version_of(package: str) -> str:
    """Return the installed version of a package."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def out_of_memory(error: BaseException) -> bool:
    """Return whether an error means that memory has run out, on any device."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or any(
        words in text for words in ("out of memory", "can't allocate memory", "not enough memory")
    )


def short_error(error: BaseException, most: int = 300) -> str:
    """Return an error as a sentence for people: its type and its first line."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    first = lines[0] if lines else "no message"
    text = f"{type(error).__name__}: {first}"
    return text if len(text) <= most else f"{text[: most - 1]}…"
