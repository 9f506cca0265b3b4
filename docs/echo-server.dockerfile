# echo-server in a container. From the top of the source tree:
#
#     docker build -f docs/echo-server.dockerfile -t echo-server .
#     docker run --rm -p 7007:7007 -p 9100:9100 echo-server --delay exp:5ms
#
# Arguments are options of echo-server, beside those of ENTRYPOINT.
FROM debian:bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends git make
COPY . /nio
WORKDIR /nio
RUN .ci/deps demo && cmake --preset release && \
    cmake --build --preset release -j "$(nproc)" --target echo-server

FROM debian:bookworm-slim
RUN apt-get update && \
    apt-get install -y --no-install-recommends libisal2 libre2-9 libssl3 && \
    rm -rf /var/lib/apt/lists/*
COPY --from=build /nio/build/bin/echo-server /usr/local/bin/echo-server
USER nobody
EXPOSE 7007 9100
# bash: sh has no /dev/tcp.
HEALTHCHECK --interval=10s --timeout=5s CMD ["bash", "-c", \
    "exec 3<>/dev/tcp/127.0.0.1/9100 && printf 'GET /healthz HTTP/1.0\\r\\n\\r\\n' >&3 && \
    read -r line <&3 && [[ $line == *' 200 '* ]]"]
# As process 1 it drains on SIGTERM, which `docker stop` sends.
ENTRYPOINT ["echo-server", "--listen", "*:7007", "--metrics", "0.0.0.0:9100"]
