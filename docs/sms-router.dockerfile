# sms-router in a container. From the top of the source tree:
#
#     docker build -f docs/sms-router.dockerfile -t sms-router .
#     docker run -d --name sms-router --stop-timeout 30 -p 2775:2775 \
#         -v /etc/sms-router:/etc/sms-router:ro -v sms-router:/var/lib/sms-router sms-router
#
# /etc/sms-router of the host has the configuration, router.toml, which user 2775 must be able to
# read. In the container a listener needs host = "0.0.0.0" to be reached from outside. Relative paths
# of the configuration are in the volume sms-router, which keeps the store. --stop-timeout is longer
# than drain_timeout.
#
# To reload the configuration: docker kill -s HUP sms-router
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends git make
COPY . /nio
WORKDIR /nio
RUN .ci/deps demo && cmake --preset release && \
    cmake --build --preset release -j "$(nproc)" --target sms-router

FROM debian:bookworm-slim
# ca-certificates: the authorities that webhooks and TLS to SMSCs are checked against.
RUN apt-get update && \
    apt-get install -y --no-install-recommends ca-certificates libcrypt1 libcurl4 libisal2 \
    libre2-9 libsimdjson14 libsqlite3-0 libssl3 libtomlplusplus3 && \
    rm -rf /var/lib/apt/lists/*
RUN useradd --uid 2775 --no-create-home --shell /usr/sbin/nologin sms-router && \
    install -d -o sms-router -g sms-router -m 0700 /var/lib/sms-router
COPY --from=build /nio/build/bin/sms-router /usr/local/bin/sms-router
USER sms-router
WORKDIR /var/lib/sms-router
EXPOSE 2775
# bash: sh has no /dev/tcp. The router answers 503 while it drains, and when the store cannot write.
HEALTHCHECK --interval=10s --timeout=5s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/8775 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && \
    read -r line <&3 && [[ $line == *' 200 '* ]]"]
# As process 1 it drains on SIGTERM, which `docker stop` sends. The health check needs the admin
# interface at that port of the loopback address, where it is unless [admin] names another host. For
# a scrape from outside: [admin] with host = "0.0.0.0" and a token, and -p 8775:8775.
ENTRYPOINT ["sms-router", "--config", "/etc/sms-router/router.toml", "--set", "admin.port=8775"]
