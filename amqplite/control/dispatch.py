"""From a request to its response: find the route, ask who it is, read the body, call the handler.

In that order: nobody's body is read before we know who sends it.
"""

from collections.abc import Callable
from http import HTTPStatus

from amqplite.control.auth import SAFE_METHODS, authorize
from amqplite.control.call import Call
from amqplite.control.errors import HttpError, error_response, failure
from amqplite.control.request import Request
from amqplite.control.response import Response
from amqplite.control.router import Handler, Router
from amqplite.control.site import Site
from amqplite.errors import AmqpError, LoginRefused


class Dispatcher:
    """Answers requests by a table of routes.

    Args:
        on_fault: called with an exception that is a fault of ours.
        on_refused: called with a login that is refused, and the address it came from.
    """

    def __init__(
        self,
        site: Site,
        router: Router,
        on_fault: Callable[[Exception], object],
        on_refused: Callable[[LoginRefused, str], object],
    ) -> None:
        self._site = site
        self._router = router
        self._on_fault = on_fault
        self._on_refused = on_refused

    async def __call__(self, request: Request) -> Response:
        """Answer `request`; raises only what `Request.read` does."""
        try:
            match = self._router.find(request.method, request.target)
            user = authorize(request, self._site.broker.users, match.route.access)
            body = b"" if request.method in SAFE_METHODS else await request.read()
            call = Call(self._site, user, match.parameters, match.query, body, request.headers)
            return await self._run(match.route.handler, call)
        except (AmqpError, HttpError) as error:
            if isinstance(error, LoginRefused):
                self._on_refused(error, request.peer.address)
            return error_response(error)

    async def _run(self, handler: Handler, call: Call) -> Response:
        try:
            answer = handler(call)
            return answer if isinstance(answer, Response) else await answer
        except (AmqpError, HttpError):
            raise
        except Exception as error:
            self._on_fault(error)
            return failure(HTTPStatus.INTERNAL_SERVER_ERROR, "the broker failed; see its log")
