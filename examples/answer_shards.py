"""Answer a folder of shards without Touchstone: python answer_shards.py FOLDER. It needs pyarrow and a server."""

import base64
import json
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path


def answer(folder, run, question):
    """Ask one question, up to five times. Return the last reply."""
    messages = json.loads(question["messages"])
    for part in (part for turn in messages if isinstance(turn["content"], list) for part in turn["content"]):
        if part["type"] == "image_url":
            data = (folder / "media" / part["image_url"]["url"].removeprefix("media://")).read_bytes()
            kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
            part["image_url"]["url"] = f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
    body = json.dumps({"model": run["model"], "messages": messages, **json.loads(question["sampling"])}).encode()
    request = urllib.request.Request(f"{run['base_url']}/chat/completions", body, {"content-type": "application/json"})
    for number in range(1, 6):
        try:
            with urllib.request.urlopen(request, timeout=120) as reply:
                return {"id": question["id"], "try": number, "status": reply.status, "raw": reply.read().decode()}
        except urllib.error.HTTPError as error:
            last = {"id": question["id"], "try": number, "status": error.code, "raw": error.read().decode()}
            time.sleep(number)
    return last


if __name__ == "__main__":
    import pyarrow as pa
    import pyarrow.parquet as pq

    folder = Path(sys.argv[1])
    run = json.loads((folder / "run.json").read_text())
    still_open = set(pq.read_table(folder / "open.parquet")["id"].to_pylist())
    for part in sorted((folder / "questions").glob("part-*.parquet")):
        replies = [answer(folder, run, row) for row in pq.read_table(part).to_pylist() if row["id"] in still_open]
        new = folder / "replies" / f"part-{time.time_ns()}.parquet"
        if replies:
            pq.write_table(pa.Table.from_pylist(replies), new.with_suffix(".part"))
            new.with_suffix(".part").rename(new)
