"""The table of what HTTP answers."""

from amqplite.control import files
from amqplite.control.api import bindings, connections, exchanges, health, overview, queues, vhosts
from amqplite.control.auth import Access
from amqplite.control.lab.routes import ROUTES as LAB_ROUTES
from amqplite.control.router import Route

_CHECKS = "/api/health/checks"

ROUTES = (
    Route("GET", "/", files.page, Access.ANYBODY),
    Route("GET", "/page/{file}", files.file, Access.ANYBODY),
    Route("GET", "/health", health.is_serving, Access.ANYBODY),
    #
    Route("GET", f"{_CHECKS}/alarms", health.alarms),
    Route("GET", f"{_CHECKS}/local-alarms", health.local_alarms),
    Route("GET", f"{_CHECKS}/virtual-hosts", health.ok),
    Route("GET", f"{_CHECKS}/is-in-service", health.is_serving),
    Route("GET", f"{_CHECKS}/ready-to-serve-clients", health.is_serving),
    Route("GET", f"{_CHECKS}/node-is-quorum-critical", health.ok),
    Route("GET", f"{_CHECKS}/reached-target-cluster-size", health.ok),
    Route("GET", f"{_CHECKS}/port-listener/{{port}}", health.port_listener),
    Route("GET", f"{_CHECKS}/protocol-listener/{{protocol}}", health.protocol_listener),
    #
    Route("GET", "/api/overview", overview.overview),
    Route("GET", "/api/whoami", overview.whoami),
    Route("GET", "/api/vhosts", vhosts.vhosts),
    Route("GET", "/api/vhosts/{vhost}", vhosts.vhost),
    Route("GET", "/api/queues", queues.queues),
    Route("GET", "/api/queues//", queues.queues_of_slash),
    Route("GET", "/api/queues/{vhost}", queues.queues),
    Route("GET", "/api/queues/{vhost}/{name}", queues.queue),
    Route("GET", "/api/exchanges", exchanges.exchanges),
    Route("GET", "/api/exchanges/{vhost}", exchanges.exchanges),
    Route("GET", "/api/exchanges/{vhost}/{name}", exchanges.exchange),
    Route("GET", "/api/bindings", bindings.bindings),
    Route("GET", "/api/bindings/{vhost}", bindings.bindings),
    Route("GET", "/api/connections", connections.connections),
    #
    *LAB_ROUTES,
)
