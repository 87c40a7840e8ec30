"""What vLLM's chat completions and OpenAI's completions say of the likelihood of a prompt, from a tiny model.

The forms are those of vLLM's documentation: ``prompt_logprobs`` has null for the first token, then an object by the
token's id with ``logprob``, ``rank`` and ``decoded_token``; with ``echo`` a completion's ``logprobs`` begin with the
prompt's tokens and go on with those that were written. Each text gets one whole pass of the model.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from testkit.scripted import Asked, Reply, as_json


class Likely:
    """A script of ``ScriptedServer``."""

    def __init__(self, folder: Path) -> None:
        import torch
        from transformers import AutoModelForCausalLM, AutoModelForImageTextToText, AutoProcessor, AutoTokenizer

        sees = (folder / "preprocessor_config.json").exists() or (folder / "processor_config.json").exists()
        self.processor: Any = (AutoProcessor if sees else AutoTokenizer).from_pretrained(folder)
        self.tokenizer: Any = getattr(self.processor, "tokenizer", self.processor)
        kind: Any = AutoModelForImageTextToText if sees else AutoModelForCausalLM
        self.model = kind.from_pretrained(folder, dtype=torch.float32).eval()

    def __call__(self, asked: Asked, number: int) -> Reply:
        body = asked.body
        return as_json(self.completion(body) if "prompt" in body else self.chat(body))

    def chat(self, body: Mapping[str, Any]) -> dict[str, Any]:
        images: list[Any] = []
        text = self.processor.apply_chat_template(
            [{**each, "content": _parts(each["content"], images)} for each in body["messages"]],
            add_generation_prompt=body.get("add_generation_prompt", True),
            continue_final_message=body.get("continue_final_message", False),
            tokenize=False,
        )
        more = {"images": images} if images else {}
        ids, logprobs = self.scored(self.processor(text=[text], return_tensors="pt", **more))
        entries = [
            {str(id): {"logprob": value, "rank": 1, "decoded_token": self.tokenizer.decode([id])}}
            for id, value in zip(ids[1:], logprobs, strict=True)
        ]
        message = {"role": "assistant", "content": "x"}
        return {
            "choices": [{"index": 0, "message": message, "finish_reason": "length"}],
            "usage": {"prompt_tokens": len(ids), "completion_tokens": 1},
            "prompt_logprobs": [None, *entries] if "prompt_logprobs" in body else None,
            "prompt_token_ids": ids if body.get("return_token_ids") else None,
        }

    def completion(self, body: Mapping[str, Any]) -> dict[str, Any]:
        ids, logprobs = self.scored(self.tokenizer([body["prompt"]], return_tensors="pt"))
        tokens = [self.tokenizer.decode([id]) for id in ids]
        told = {"tokens": [*tokens, "x"], "token_logprobs": [None, *logprobs, -1.0]}
        return {
            "choices": [{"index": 0, "text": body["prompt"] + "x", "finish_reason": "length", "logprobs": told}],
            "usage": {"prompt_tokens": len(ids), "completion_tokens": 1},
        }

    def scored(self, inputs: Any) -> tuple[list[int], list[float]]:
        """The tokens, and how likely each but the first one is."""
        import torch

        inputs.pop("token_type_ids", None)
        ids = inputs["input_ids"][0]
        with torch.inference_mode():
            logits = self.model(**inputs).logits[0, :-1].double()
        found: list[float] = torch.log_softmax(logits, -1).gather(1, ids[1:, None])[:, 0].tolist()
        return ids.tolist(), found


def _parts(content: Any, images: list[Any]) -> list[dict[str, Any]]:
    """A turn as templates take it; its pictures are added to ``images``."""
    from PIL import Image

    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    found = []
    for part in content:
        if part["type"] == "image_url":
            raw = base64.b64decode(part["image_url"]["url"].partition(",")[2])
            images.append(Image.open(io.BytesIO(raw)).convert("RGB"))
            found.append({"type": "image"})
        else:
            found.append(part)
    return found
