"""What does not load says why, in a sentence that helps."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from domain.errors import ModelError
from extensions.local_models import fit, libraries
from extensions.local_models.tests.asking import spec_of
from inference.opening import open_answerer
from inference.spec import ModelPermissions, ModelSpec
from testkit.tiny import Shelf
from tests.paths import ROOT

pytestmark = pytest.mark.slow


NOBODY = ModelPermissions()


def refused(folder: Path | str, allowed: ModelPermissions = NOBODY, **more: Any) -> str:
    """The sentence with which a model is refused."""
    given = {"name": "mine", "adapter": "chat", "modality": "one_image", "model": str(folder), **more}
    with pytest.raises(ModelError) as caught:
        open_answerer(ModelSpec(**given), strategy="generate", allowed=allowed)
    return str(caught.value)


@pytest.fixture
def folder(tiny_models: Shelf, tmp_path: Path) -> Path:
    """A LLaVA to be damaged."""
    shutil.copytree(tiny_models.folder("llava"), tmp_path / "llava")
    return tmp_path / "llava"


def changed(path: Path, **values: Any) -> None:
    told = {**json.loads(path.read_text()), **values}
    path.write_text(json.dumps({key: value for key, value in told.items() if value is not None}))


def test_no_such_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file.bin").write_bytes(b"x")
    assert refused(tmp_path / "nothing") == f"The folder {tmp_path}/nothing does not exist. Check the path."
    assert "is a file. Give the path of a model folder" in refused(tmp_path / "file.bin")
    assert "config.json is missing" in refused(tmp_path)
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")  # wherever the checkout is: what is named has to be absent from there
    assert "The folder ../../etc does not exist." in refused("../../etc")


def test_a_repository_on_a_machine_that_stays_offline(folder: Path, tmp_path: Path) -> None:
    """Before it was fetched, and from the hub's cache as it lies on disk: files under a commit, which links to them by
    name."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    home = tmp_path / "fetched" / "hub" / "models--someone--something"
    (home / "blobs").mkdir(parents=True)
    (home / "snapshots" / commit).mkdir(parents=True)
    (home / "refs").mkdir()
    (home / "refs" / "main").write_text(commit)
    for number, path in enumerate(sorted(folder.iterdir())):
        shutil.copy(path, home / "blobs" / str(number))
        (home / "snapshots" / commit / path.name).symlink_to(f"../../blobs/{number}")
    code = (
        "import os\nfrom inference.spec import ModelSpec\nfrom inference.opening import *\n"
        "try: open_answerer(ModelSpec(name='m', adapter='chat', model='someone/something'), strategy='generate')\n"
        "except Exception as error: print(error)\n"
        f"os.rename({str(tmp_path / 'fetched')!r}, os.environ['HF_HOME'])\n"
        f"for revision in (None, '{commit}', 'f' * 40):\n"
        "    spec = ModelSpec(name='m', adapter='chat', model='someone/something', revision=revision)\n"
        "    try:\n        about = open_answerer(spec, strategy='generate').about\n"
        "        print(about['revision'], len(about['weights']))\n"
        "    except Exception as error: print(error)"
    )
    told = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "HF_HOME": str(tmp_path / "hf"), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    nothing = "someone/something is not a folder on this machine, and Touchstone cannot download the model"
    assert told[0].startswith(f"{nothing} because this machine is offline")
    assert told[1:3] == [f"{commit} 64", f"{commit} 64"]
    assert told[3].startswith(nothing)


def test_weights_that_were_not_downloaded_to_the_end(folder: Path) -> None:
    whole = (folder / "model.safetensors").read_bytes()
    (folder / "model.safetensors").write_bytes(whole[:-1000])
    assert "is incomplete" in refused(folder)
    (folder / "model.safetensors").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    assert "Git LFS placeholder" in refused(folder)
    (folder / "model.safetensors").unlink()
    assert "model.safetensors is missing" in refused(folder)


def test_weights_of_which_a_part_is_missing(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    parts = load_file(folder / "model.safetensors")
    kept = {name: part for name, part in parts.items() if "projector" not in name}
    assert len(parts) - len(kept) == 4
    save_file(kept, folder / "model.safetensors", metadata={"format": "pt"})
    assert refused(folder).startswith("Parameters missing from the weights of mine: 4 (such as ")


def test_weights_of_another_model(folder: Path, tiny_models: Shelf) -> None:
    shutil.copy(tiny_models.folder("text") / "model.safetensors", folder / "model.safetensors")
    assert refused(folder).startswith("The sizes of the weights of mine differ from its config.json")


def test_an_old_checkpoint_whose_processor_lacks_a_setting(folder: Path, tiny_models: Shelf, tmp_path: Path) -> None:
    changed(folder / "processor_config.json", patch_size=None)
    assert "The processor of mine lacks patch_size" in refused(folder)
    shutil.copytree(tiny_models.folder("blip2_opt"), tmp_path / "blip")
    changed(tmp_path / "blip" / "processor_config.json", num_query_tokens=None)
    assert "lacks num_query_tokens" in refused(tmp_path / "blip", adapter="completion")


def test_no_image_processor(folder: Path) -> None:
    (folder / "processor_config.json").unlink()
    assert "processor of mine" in refused(folder) or "no image processor" in refused(folder)


def test_a_type_that_transformers_does_not_know(folder: Path) -> None:
    changed(folder / "config.json", model_type="quite_new_vl")
    assert "has the type quite_new_vl, which the installed transformers" in refused(folder)
    changed(folder / "config.json", model_type="mplug_owl2")
    assert "The transformers library has no class for mPLUG-Owl2" in refused(folder)


def test_code_of_its_own_runs_only_if_the_operator_names_it(folder: Path) -> None:
    flag = folder.parent / "ran"
    changed(
        folder / "config.json",
        model_type="quite_new_vl",
        auto_map={"AutoConfig": "own.OwnConfig", "AutoModelForImageTextToText": "own.Own"},
    )
    (folder / "own.py").write_text(
        f"open({str(flag)!r}, 'w').close()\nfrom transformers import PretrainedConfig\n"
        "class OwnConfig(PretrainedConfig):\n    model_type = 'quite_new_vl'\n"
    )
    assert "needs code from its repository" in refused(folder)
    told = refused(folder, remote_code=True)
    assert f"TOUCHSTONE_REMOTE_CODE names {folder}" in told
    assert "only if TOUCHSTONE_REMOTE_CODE names" in refused(
        folder, ModelPermissions(remote_code=("another",)), remote_code=True
    )
    assert not flag.exists()
    refused(folder, ModelPermissions(remote_code=(str(folder),)), remote_code=True)
    assert flag.exists(), "named by the operator, it ran"


def test_a_gpu_that_is_not_there(folder: Path) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("this machine has a GPU, so nothing is refused")
    assert "requires a GPU (`device: cuda`)" in refused(folder, device="cuda")
    assert "`device: warp` is unknown" in refused(folder, device="warp")


def test_not_enough_memory(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit, "free_memory", lambda: fit.Memory(10_000_000))
    assert "Touchstone did not load mine. The model does not fit. It needs about 300.7 MiB in main memory" in refused(
        folder
    )


@pytest.mark.parametrize(
    ("family", "more", "sentence"),
    [
        (
            "blip2_opt",
            {"adapter": "completion", "modality": "images"},
            "BLIP-2 accepts one picture, but the description",
        ),
        (
            "blip2_opt",
            {"adapter": "completion", "modality": "video"},
            "BLIP-2 accepts one picture, but the description",
        ),
        ("blip2_t5", {"adapter": "completion"}, "needs another adapter. Set `adapter: encoder_decoder`"),
        ("llava", {"adapter": "completion"}, "LLaVA needs another adapter. Set `adapter: chat`"),
        ("text", {"modality": "one_image"}, "is a text model (llama) and cannot see images"),
        ("video_llava", {"adapter": "chat"}, "Video-LLaVA needs another adapter. Set `adapter: video_llava`"),
    ],
)
def test_a_description_that_does_not_fit_the_model(
    family: str, more: dict[str, Any], sentence: str, tiny_models: Shelf
) -> None:
    assert sentence in refused(tiny_models.folder(family), **more)


def test_without_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    told = refused(folder)
    assert told.startswith("Local models need torch, but torch is not installed. To install the missing packages, ")


def test_a_torchvision_for_another_torch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(name: str) -> None:
        raise RuntimeError("operator torchvision::nms does not exist")

    monkeypatch.setattr(libraries.importlib, "import_module", broken)
    assert (
        "Python cannot import torch, although the package is installed. Install the package again. Error: "
        "RuntimeError: operator torchvision::nms"
    ) in refused(folder)


def test_a_good_one_loads(folder: Path) -> None:
    open_answerer(spec_of(folder), strategy="generate").close()
