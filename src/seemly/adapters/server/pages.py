"""Lists a page at a time, for the clients that ask for `page`: `{data, pagination}` in place of the bare list."""

from __future__ import annotations

from dataclasses import replace

from seemly.adapters.server.endpoint import Answer, Call, Endpoint, Parameter, Schema
from seemly.adapters.server.schema import BOOL, WHOLE, items, record, whole
from seemly.service.base.requests import MAX_PAGE, Body, read_page

__all__ = ["BY_PAGE", "PAGE_SIZE", "either_form", "in_pages", "paged"]

PAGE_SIZE = Parameter("pageSize", whole(1, MAX_PAGE), "20 unless given")
BY_PAGE = Parameter("page", whole(1, 1_000_000), "from 1; the answer is then {data, pagination}")
_PAGINATION = record({"page": WHOLE, "pageSize": WHOLE, "total": WHOLE, "totalPages": WHOLE, "hasMore": BOOL})


def paged(entry: Schema) -> Schema:
    """A page of entries."""
    return record({"data": items(entry), "pagination": _PAGINATION})


def either_form(plain: Schema, entry: Schema) -> Schema:
    """A list in its plain form, or a page of entries."""
    return {"anyOf": [plain, paged(entry)]}


def in_pages(endpoint: Endpoint) -> Endpoint:
    """An endpoint that gives a bare list, made to give a page of it where the request has `page`."""

    def run(call: Call) -> Answer:
        body = Body(call.query)
        page = read_page(body)
        body.done()
        listed = endpoint.run(call)
        if not page.by_page:
            return listed
        entries = list(listed)
        return page.wrap(entries[page.offset : page.offset + page.size], len(entries))

    gives = either_form(endpoint.gives, endpoint.gives["items"])
    return replace(endpoint, run=run, gives=gives, parameters=(*endpoint.parameters, BY_PAGE, PAGE_SIZE))
