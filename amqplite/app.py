"""The whole: settings → store → broker → listeners, in one nursery; signals; drain."""

import base64
import gc
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack

import trio

from amqplite.broker.backlog import Window
from amqplite.broker.broker import Broker, Limits
from amqplite.broker.journal import Journal
from amqplite.broker.users import Users
from amqplite.config import IN_MEMORY, Settings
from amqplite.connection.connection import ConnectionLimits
from amqplite.connection.content_headers import ContentHeaders
from amqplite.control.listener import HttpListener
from amqplite.control.site import Site, endpoints
from amqplite.log import get_logger
from amqplite.protocol.fields import decode_table
from amqplite.server.clock import Clock
from amqplite.server.committer import Committer
from amqplite.server.flusher import Flusher
from amqplite.server.listener import Listener, listen
from amqplite.server.resources import Resources, machine_bytes
from amqplite.server.ticker import Ticker
from amqplite.store import StoreUnusable
from amqplite.store.database import Database
from amqplite.store.lock import DataDirLock

DATABASE = "amqplite.db"

OBJECTS_MADE = 10_000
"""How many more objects than at the last look for garbage make Python look again.

What the broker drops is freed at once, by its reference count, and hardly any of it is in cycles.
But each look goes through what is in queues, in vain: with Python's own 700, that is some 3 % of
its time.
"""


class BrokerError(Exception):
    """The broker can't start, or go on; `str()` is one line that says why and what to do."""


class StartupError(BrokerError):
    """The broker can't start; nothing was changed."""


def serve(settings: Settings) -> None:
    """Run the broker until SIGTERM or SIGINT.

    Raises:
        StartupError: it could not start; nothing was changed.
        BrokerError: it could not go on, as its store failed: to go on would be to confirm what is
            not there.
    """
    sys.setswitchinterval(0.001)  # the committer's thread waits that long for the interpreter
    gc.set_threshold(OBJECTS_MADE, *gc.get_threshold()[1:])
    trio.run(Application(settings).run)


class Application:
    """A broker with its store and its listeners.

    Attributes:
        broker: what the listeners serve, once `run` has begun.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._log = get_logger("amqplite")
        self._failure: Exception | None = None
        self._give_up: Callable[[], object] = lambda: None

    async def run(self) -> None:
        """Serve until a signal comes.

        Raises:
            StartupError: it could not start; nothing was changed.
            BrokerError: its store failed.
        """
        settings = self._settings
        with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async with AsyncExitStack() as stack:
                # ports first: where they are taken, no file may be made or migrated
                amqp = await _listen(stack, settings.host, settings.amqp_port, "--amqp-port")
                http = await _listen(stack, settings.host, settings.http_port, "--http-port")
                store = _open_store(settings, stack)
                try:
                    await self._serve(store, amqp, http, signals)
                except* StoreUnusable as failures:
                    self._failure = _first(failures)
                if self._failure is not None:
                    raise BrokerError(str(self._failure))
        self._log.info("stopped")

    async def _serve(
        self,
        store: Database,
        amqp: list[trio.SocketListener],
        http: list[trio.SocketListener],
        signals: AsyncIterator[int],
    ) -> None:
        """Serve until a signal comes, then drain."""
        settings, clock, journal, flusher = self._settings, Clock(), Journal(), Flusher()
        broker = self.broker = self._broker(store, clock, journal)
        listener = Listener(
            broker,
            clock,
            connection_limits(settings),
            flusher,
            handshake_timeout_s=settings.handshake_timeout_s,
            on_fault=self._report,
        )
        site = Site(broker, endpoints({"amqp": amqp, "http": http}))
        committer = Committer(journal, store, self._on_full, store.tidy, flusher)
        async with trio.open_nursery() as background:
            self._give_up = background.cancel_scope.cancel
            background.start_soon(Ticker(broker, clock).run)
            background.start_soon(self._resources(broker).run)
            async with trio.open_nursery() as foreground:
                site.spawn = foreground.start_soon
                await foreground.start(_accept, HttpListener(site).serve, http, foreground)
                accepting = await foreground.start(_accept, listener.serve, amqp, foreground)
                # clients are served by now; only what has to be on disk waits for this
                await trio.to_thread.run_sync(store.prepare)
                await committer.commit()
                background.start_soon(committer.run)
                self._announce(site)
                await anext(signals)
                self._log.info("stopping")
                site.stopping.set()
                accepting.cancel()
                await listener.drain(settings.shutdown_timeout_s)
                foreground.cancel_scope.cancel()
            background.cancel_scope.cancel()
        if self._failure is None:
            broker.record_handed_out()
            with trio.move_on_after(settings.shutdown_timeout_s) as limit:
                await committer.finish()
            if limit.cancelled_caught:
                self._log.error("the database took no more: what was not confirmed is lost")

    def _broker(self, store: Database, clock: Clock, journal: Journal) -> Broker:
        settings = self._settings
        users = Users(journal.define, os.urandom, settings.loopback_users)
        limits = Limits(
            consumer_timeout_ms=settings.consumer_timeout_ms,
            window=Window(settings.window_messages, settings.window_bytes),
        )
        headers = ContentHeaders()
        broker = Broker(
            clock.now_ms(),
            users,
            journal,
            generate_name,
            store.page,
            limits,
            headers,
            clock=clock.now_us,
            labels=headers,
        )
        broker.load(store.load(), decode_table)
        if not broker.vhosts:
            seed(broker, settings)
        return broker

    def _resources(self, broker: Broker) -> Resources:
        settings = self._settings
        return Resources(
            broker.alarms,
            settings.folder,
            settings.disk_free_min_bytes,
            settings.memory_high_bytes or machine_bytes() * 6 // 10,
        )

    def _announce(self, site: Site) -> None:
        for endpoint in site.endpoints:
            self._log.info(
                "listening", protocol=endpoint.protocol, host=endpoint.host, port=endpoint.port
            )
        self._log.info("Server startup complete")

    def _on_full(self, full: bool) -> None:
        self.broker.alarms.set("disk", full, by="store")
        if full:
            self._log.error("the database takes no more: publishers are blocked until it does")
        else:
            self._log.info("the database takes changes again")

    def _report(self, error: Exception) -> None:
        """Log a fault that a connection met; end it all if it is the store's."""
        if isinstance(error, ExceptionGroup) and error.subgroup(StoreUnusable):
            error = _first(error)
        if isinstance(error, StoreUnusable):
            self._failure = error
            self._give_up()
            return
        self._log.error("a fault of the broker closed a connection", exc_info=error)


async def _listen(
    stack: AsyncExitStack, host: str, port: int, option: str
) -> list[trio.SocketListener]:
    """Listen, until `stack` is closed."""
    try:
        sockets = await listen(host, port)
    except OSError as error:
        raise StartupError(
            f"can't listen on {host} port {port}: {error.strerror}; choose another with {option}"
        ) from None
    for socket in sockets:
        await stack.enter_async_context(socket)
    return sockets


def _open_store(settings: Settings, stack: AsyncExitStack) -> Database:
    """Open the database, and hold its folder, until `stack` is closed."""
    try:
        folder = settings.folder
        if folder is not None:
            stack.enter_context(DataDirLock(folder))
        store = Database(IN_MEMORY if folder is None else folder / DATABASE)
    except StoreUnusable as error:
        raise StartupError(str(error)) from None
    except OSError as error:
        raise StartupError(
            f"can't use the data folder {settings.folder}: {error.strerror}"
        ) from None
    stack.callback(store.close)
    return store


async def _accept(
    serve: Callable[[trio.SocketStream], Awaitable[None]],
    sockets: list[trio.SocketListener],
    nursery: trio.Nursery,
    *,
    task_status: trio.TaskStatus[trio.CancelScope],
) -> None:
    """Accept connections until cancelled, and then listen no more; their sessions live on."""
    with trio.CancelScope() as accepting:
        task_status.started(accepting)
        await trio.serve_listeners(serve, sockets, handler_nursery=nursery)


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """Return the first exception in a group, or in a group within."""
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, ExceptionGroup) else first


def connection_limits(settings: Settings) -> ConnectionLimits:
    """Return what connections are offered and allowed."""
    return ConnectionLimits(
        frame_max=settings.frame_max_bytes,
        channel_max=settings.channel_max,
        heartbeat_s=settings.heartbeat_s,
        message_size_max=settings.max_message_size_bytes,
        outbox_high_bytes=settings.outbox_high_bytes,
        consumer_timeout_action=settings.consumer_timeout_action,
        connection_max=settings.connection_max,
    )


def seed(broker: Broker, settings: Settings) -> None:
    """Give a new database its first vhost, and a user who may do everything there."""
    broker.add_vhost(settings.default_vhost)
    users, name = broker.users, settings.default_user
    users.put_user(name, users.hash_password(settings.default_pass), ("administrator",))
    users.set_permissions(name, settings.default_vhost, configure=".*", write=".*", read=".*")


def generate_name(prefix: str) -> str:
    """Return a name nobody has: 22 characters from 16 random octets behind `prefix`."""
    return prefix + base64.urlsafe_b64encode(os.urandom(16)).rstrip(b"=").decode()
