"""Choose the description of a model: from a folder, an included description, an endpoint, or a typed text.

Whatever the source, the YAML text on the page is the description in effect.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from annotation_schemas import yaml_text
from app import markup, shell
from app.running import watch
from app.services import Services
from domain import extensions
from domain.errors import InvalidInputError, ModelError, TouchstoneError
from domain.request_settings import find_body_problems, find_header_problems, read_headers, read_json_object
from workflow.runs import model_descriptions
from workflow.runs.model_descriptions import Endpoint, Generation, ModelSpec, Price

ENDPOINT, ALONG, MINE = "Endpoint", "Included", "YAML file"

TEXT = "models.text"
"""The input with the description in effect, on the page Models."""

_KEPT = ".kept"
"""Suffix of an input's key. Its value survives other pages, because Streamlit forgets inputs that are not drawn."""

FIRST_TEXT = """\
name: my-model
adapter: chat
model: /path/to/a/folder
"""
_NAME = "description"


@dataclass(frozen=True)
class ModelSource:
    """A source of descriptions that an extension adds: a row of the register ``model_sources``."""

    label: str
    draw: Callable[[Services, Callable[[str], None]], None]
    """Draws the inputs. The second argument puts a chosen description, as YAML, in effect."""


def choose(
    services: Services, *, box: str = TEXT, title: str = "Model", source: str = "", without: Sequence[str] = ()
) -> ModelSpec | None:
    """Draw the inputs and return the description in effect. None without a valid one; the page shows the faults.

    Parameters
    ----------
    box
        The key of the input with the text. Each page has its own.
    source
        The default source; without one, the first.
    without
        Adapters that are not offered.
    """
    shell.section(title)
    added: dict[str, ModelSource] = {row.label: row for row in extensions.rows("model_sources")}
    labels = [*added, *_FROM]
    first = source or labels[0]
    chosen = (
        st.segmented_control("From", labels, default=first, key="models.source", label_visibility="collapsed") or first
    )
    if chosen in added:
        added[chosen].draw(services, lambda text: take(text, box))
    else:
        _FROM[chosen](services, box, without)
    return _in_effect(box)


def parse_description(text: str) -> tuple[ModelSpec | None, list[tuple[int, str]]]:
    """Return the description in a text, or its faults with their lines."""
    try:
        return model_descriptions.spec_of(text, name=_NAME), []
    except ModelError as error:
        return None, [_by_line(line) for line in str(error).splitlines()]


def _by_line(told: str) -> tuple[int, str]:
    match = re.match(rf"{_NAME}:(\d+): (.*)", told, re.DOTALL)
    return (int(match[1]), match[2]) if match else (1, told)


def with_value(text: str, key: str, value: object) -> str:
    """Return the text with a top-level key set. The other lines stay as they were typed."""
    line = f"{key}: {value}"
    changed, n = re.subn(rf"(?m)^{re.escape(key)}[ \t]*:[^\n]*$", line.replace("\\", r"\\"), text, count=1)
    return changed if n else f"{text.rstrip()}\n{line}\n"


# ---- sources ---------------------------------------------------------------------------------------------------------


def _along(services: Services, box: str, without: Sequence[str]) -> None:
    known = {spec.name: spec for spec in model_descriptions.shipped() if spec.adapter not in without}
    st.selectbox(
        "Description",
        list(known),
        index=None,
        placeholder="Choose a description",
        key="models.along",
        on_change=lambda: _take(known.get(st.session_state["models.along"] or ""), box),
    )
    chosen = known.get(st.session_state.get("models.along") or "")
    if chosen is not None and chosen.note:
        shell.show(markup.tag("p", markup.quiet(chosen.note), style="ts ts-small"))


def _own_description(services: Services, box: str, without: Sequence[str]) -> None:
    file = st.file_uploader("Description file", type=["yaml", "yml"], key="models.file")
    if file is not None and st.session_state.get("models.file.taken") != file.file_id:
        st.session_state["models.file.taken"] = file.file_id
        try:
            take(yaml_text.decode(file.getvalue()), box)
        except ValueError as error:
            shell.show(
                markup.notice(f"Touchstone cannot read {file.name}: {error}. Upload a YAML file in UTF-8.", style="bad")
            )


@dataclass(frozen=True)
class EndpointForm:
    """The values of the form for an endpoint."""

    name: str = ""
    base_url: str = ""
    model: str = ""
    key: str = ""
    concurrency: int = 4
    max_new_tokens: int = 256
    temperature: float = 0.0
    extra_body: str = ""
    headers: str = ""
    price_input: float | None = None
    price_output: float | None = None
    currency: str = "USD"
    price_date: str = ""
    max_cost: float | None = None


_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*_API_(KEY|TOKEN)")


def endpoint_spec(asked: EndpointForm) -> ModelSpec:
    """Return the description of an endpoint.

    Raises
    ------
    ModelError
        Values are missing or invalid. The error lists all of them.
    """
    troubles = []
    url = asked.base_url.strip()
    if not re.match(r"https?://[^\s/]+", url):
        troubles.append(
            "Base URL: enter an address that starts with https:// or http:// and ends with /v1, as in the server's "
            "manual."
        )
    if not asked.model.strip():
        troubles.append("Model ID: enter the name that the server uses for the model.")
    key = asked.key.strip()
    if key and not _VARIABLE.fullmatch(key):
        troubles.append(
            "API key variable: enter the name of an environment variable of the worker. The name must end in "
            "_API_KEY or _API_TOKEN, such as OPENAI_API_KEY. Never enter the key itself. If you have just pasted a "
            "key, replace the key at your provider."
        )
    extra_body, headers = _request_settings(asked, troubles)
    price = None
    if asked.price_input is not None or asked.price_output is not None:
        if asked.price_input is None or asked.price_output is None or not asked.price_date.strip():
            troubles.append("Price: enter the input price, the output price and the date of the prices.")
        else:
            price = Price(
                currency=asked.currency.strip() or "USD",
                input=asked.price_input,
                output=asked.price_output,
                date=asked.price_date.strip(),
            )
    if asked.max_cost is not None and price is None:
        troubles.append("Cost limit: enter the prices first.")
    if troubles:
        raise ModelError(" ".join(troubles))
    return ModelSpec(
        name=asked.name.strip() or asked.model.strip(),
        adapter="endpoint",
        model=asked.model.strip(),
        modality="images",
        generation=Generation(
            max_new_tokens=asked.max_new_tokens,
            temperature=asked.temperature,
            do_sample=asked.temperature > 0,
            extra_body=extra_body,
        ),
        endpoint=Endpoint(
            base_url=url,
            key=key or None,
            concurrency=asked.concurrency,
            price=price,
            max_cost=asked.max_cost,
            headers=headers,
        ),
    )


def _request_settings(asked: EndpointForm, troubles: list[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the extra fields and the headers of the form, and add their faults to ``troubles``."""
    try:
        extra_body = read_json_object(asked.extra_body, "Extra request fields")
        headers = read_headers(asked.headers.splitlines(), ":", "Headers")
    except InvalidInputError as error:
        troubles += [problem.message for problem in error.problems]
        return {}, {}
    troubles += [f"{fault}." for fault in (*find_body_problems(extra_body), *find_header_problems(headers))]
    return extra_body, headers


def _endpoint(services: Services, box: str, without: Sequence[str]) -> None:
    with st.form("models.endpoint", border=False):
        left, right = st.columns(2)
        with left:
            url = st.text_input("Base URL", placeholder="http://localhost:8000/v1", key="models.endpoint.url")
            key = st.text_input(
                "API key variable",
                placeholder="OPENAI_API_KEY",
                key="models.endpoint.key",
                help="The name of the worker's environment variable that contains the key. Touchstone does not "
                "store the key. Leave this field empty if the server needs no key.",
            )
            tokens = st.number_input("Maximum answer tokens", 1, 1_000_000, 256, key="models.endpoint.tokens")
        with right:
            model = st.text_input(
                "Model ID", key="models.endpoint.model", help="The name that the server uses for the model."
            )
            name = st.text_input("Display name", placeholder="the model ID", key="models.endpoint.name")
            temperature = st.number_input("Temperature", 0.0, 2.0, 0.0, 0.1, key="models.endpoint.temperature")
        more = st.expander("Cost, requests, headers")
        left, right = more.columns(2)
        with left:
            concurrency = st.number_input("Parallel requests", 1, 256, 4, key="models.endpoint.concurrency")
            extra_body = st.text_area(
                "Extra request fields (JSON)",
                placeholder='{"reasoning_effort": "low"}',
                key="models.endpoint.extra_body",
                help='Settings for this server, such as {"chat_template_kwargs": {"enable_thinking": '
                "false}}. These settings are part of the run's hash.",
            )
        with right:
            most = st.number_input(
                "Cost limit", 0.0, None, None, placeholder="no limit", key="models.endpoint.most",
                help="The run stops before its cost exceeds this limit. To use this limit, enter the prices.",
            )  # fmt: skip
            headers = st.text_area(
                "Headers (one per line)",
                placeholder="X-Routing: fast",
                key="models.endpoint.headers",
                help="Touchstone stores and shows headers. For a secret, use an environment variable of the worker, "
                "such as X-Api-Key: env:LAB_API_KEY.",
            )
        first, second, third, fourth = more.columns(4)
        with first:
            price_in = st.number_input("Input price (per 1M tokens)", 0.0, None, None, key="models.endpoint.price_in")
        with second:
            price_out = st.number_input(
                "Output price (per 1M tokens)", 0.0, None, None, key="models.endpoint.price_out"
            )
        with third:
            currency = st.text_input("Currency", "USD", key="models.endpoint.currency")
        with fourth:
            date = st.text_input("Price date", placeholder="2026-11-01", key="models.endpoint.date")
        sent = st.form_submit_button("Create description", key="models.endpoint.make")
    if sent:
        asked = EndpointForm(
            name=name or "",
            base_url=url or "",
            model=model or "",
            key=key or "",
            concurrency=int(concurrency),
            max_new_tokens=int(tokens),
            temperature=float(temperature),
            extra_body=extra_body or "",
            headers=headers or "",
            price_input=price_in,
            price_output=price_out,
            currency=currency or "",
            price_date=date or "",
            max_cost=most,
        )
        try:
            _take(endpoint_spec(asked), box)
        except TouchstoneError as error:
            shell.show_error(error)


_FROM: Mapping[str, Callable[[Services, str, Sequence[str]], None]] = {
    ENDPOINT: _endpoint,
    ALONG: _along,
    MINE: _own_description,
}


# ---- description in effect -------------------------------------------------------------------------------------------


def take(text: str, box: str = TEXT) -> None:
    """Put a text in effect."""
    st.session_state[box] = text


def _take(spec: ModelSpec | None, box: str) -> None:
    if spec is not None:
        take(model_descriptions.spec_as_yaml(spec), box)


def _in_effect(box: str) -> ModelSpec | None:
    if box not in st.session_state:
        st.session_state[box] = st.session_state.get(box + _KEPT, "")
    typed: Any = st.text_area(
        "Description (YAML)",
        key=box,
        height=260,
        placeholder=FIRST_TEXT,
        help="These settings affect the answers and are part of the run's hash. You can edit the settings in this "
        "field.",
    )
    text = st.session_state[box + _KEPT] = typed or ""
    if not text.strip():
        shell.show(markup.notice("Choose a model above, or write a model description."))
        return None
    spec, troubles = parse_description(text)
    if spec is None:
        rows = [[markup.text(line), markup.text(problem)] for line, problem in troubles]
        shell.show(
            markup.tag(
                "div",
                markup.text("Correct these lines of the description:"),
                markup.table([("Line", "number"), ("Problem", "")], rows),
                style="ts ts-notice bad",
                role="alert",
            )
        )
        return None
    st.download_button(
        "Download description",
        text,
        file_name=f"{watch.file_name(spec.name)}.yaml",
        mime="application/yaml",
        key="models.download",
    )
    return spec
