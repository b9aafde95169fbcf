"""An erased text comes back neither over HTTP nor by the tools of a model, in whatever field it stands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import anyio
import pytest
from mcp import Client
from starlette.testclient import TestClient

import marskg
from marskg.privacy.principals import Principal
from marskg.server.callers import Caller, Everyone
from marskg.server.http_app import http_app
from marskg.server.mcp_server import mcp_server
from marskg.server.worker_pool import Handles, WorkerPool

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

T = "My sister Ilse keeps the zyxquartz key under the third pot by the door"
#: What a request may say beside a harmless text; and the text itself.
FIELDS: tuple[dict[str, Any], ...] = (
    {"content": f"Ilse: {T}"},
    {"content": f"<p>{T}</p>"},
    {"metadata": {"t": T}},
    {"metadata": {"a": [{T: {"x": 1}}]}},
    {"key": f"note/{T}"},
    {"session": T},
    {"subjects": [T]},
)


@pytest.fixture
def erased(tmp_path: Path) -> Path:
    """Return the folder of a store in which a text was erased."""
    path = tmp_path / "store"
    with marskg.open(path, tenant="t", budget=5_000) as memory:
        memory.settings.set(None, {"suppression.hits": None})
        memory.erase(id=memory.remember(T).id)
    return path


@contextmanager
def served(path: Path) -> Iterator[TestClient]:
    caller = Caller("t", Principal.of("agent:http"))
    handles = Handles(lambda one: marskg.open(path, tenant=one.tenant, principal=one.principal, create=False))
    with handles.of(caller) as memory:
        app = http_app(WorkerPool(handles, 32), Everyone(caller), memory, "0")
        with TestClient(app, base_url="http://127.0.0.1:8321") as client:
            yield client


def test_over_http(erased: Path) -> None:
    with served(erased) as client:
        kept = client.post("/v1/tenants/t/memories", json={"content": "It rains", "metadata": {"t": "dry"}})
        assert kept.status_code == 201, kept.text
        for fields in FIELDS:
            answer = client.post("/v1/tenants/t/memories", json={"content": "It rains", **fields})
            assert (answer.status_code, "erased" in answer.text) == (403, True), (fields, answer.text)
            assert "zyxquartz" not in answer.text
        news = {"content": f"So she said: {T}"}
        mended = client.patch(kept.headers["location"], json=news, headers={"If-Match": kept.headers["etag"]})
        assert mended.status_code == 403, mended.text


def test_by_the_tools_of_a_model(erased: Path) -> None:
    async def script() -> None:
        with marskg.open(erased, tenant="t", principal="agent:model") as memory:
            async with Client(mcp_server(memory, "0")) as client:
                tools = {one.name: one for one in (await client.list_tools()).tools}
                taken = set(tools["remember"].input_schema["properties"])
                for fields in FIELDS:
                    if fields.keys() <= taken:
                        found = await client.call_tool("remember", {"content": "It rains", **fields})
                        assert found.is_error, fields
                        assert "erased" in str(found.content)
                        assert "zyxquartz" not in str(found.content)

    anyio.run(script)
