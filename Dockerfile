# The broker in a container:
#
#   docker build -t amqplite .
#   docker run -p 5672:5672 -p 15672:15672 -v amqplite:/var/lib/amqplite \
#     -e RABBITMQ_DEFAULT_USER=me -e RABBITMQ_DEFAULT_PASS=secret amqplite
#
# Without the two variables the user is guest, who may connect from inside the container only.
# BASE is any Debian-like image with python3 (3.11 or later) and its venv module.
ARG BASE=docker.io/library/python:3.11-slim

FROM ${BASE} AS build
WORKDIR /src
COPY . .
# pip stays outside of what is copied on.
RUN python3 -m venv /tmp/pip \
 && python3 -m venv --without-pip /opt/amqplite \
 && /tmp/pip/bin/pip --python /opt/amqplite/bin/python3 install --no-cache-dir .

FROM ${BASE}
COPY --from=build /opt/amqplite /opt/amqplite
ENV PATH=/opt/amqplite/bin:$PATH \
    AMQPLITE_HOST=0.0.0.0 \
    AMQPLITE_LOG_FORMAT=json \
    AMQPLITE_DATA_DIR=/var/lib/amqplite
# Python images come without compiled modules, and the user who runs can't keep any: importing the
# broker once as root makes those that it needs.
RUN python3 -c "import amqplite.app, amqplite.cli.ping" \
 && echo "amqplite:x:5672:5672::/var/lib/amqplite:/usr/sbin/nologin" >> /etc/passwd \
 && echo "amqplite:x:5672:" >> /etc/group \
 && install -d -o 5672 -g 5672 -m 0750 /var/lib/amqplite
USER 5672:5672
VOLUME /var/lib/amqplite
EXPOSE 5672 15672
HEALTHCHECK --interval=10s --timeout=6s --start-period=5s CMD ["amqplite", "ping"]
ENTRYPOINT ["amqplite"]
CMD ["serve"]
