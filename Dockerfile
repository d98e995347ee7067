# The application as one image: docs/deployment.md says how it is run. The first stage has what is needed
# to build, a compiler for the SQLite driver among it; the second one only what runs.
#
# The base image is pinned, so that a build is the same tomorrow. To take another one:
#   docker buildx imagetools inspect node:24-bookworm-slim --format '{{.Manifest.Digest}}'
# tells its digest for all platforms, to be written here or given with --build-arg NODE_IMAGE=...
ARG NODE_IMAGE=node:24.21.0-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6

FROM ${NODE_IMAGE} AS build
RUN apt-get update \
  && apt-get install --yes --no-install-recommends python3 make g++ \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY package.json package-lock.json ./
COPY packages/atrium/package.json packages/atrium/
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build
WORKDIR /src/build
RUN npm ci --omit=dev --no-audit --no-fund

FROM ${NODE_IMAGE}
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3333 \
    LOG_LEVEL=info \
    DB_CONNECTION=sqlite \
    DB_DATABASE=/data/db.sqlite3 \
    STORAGE_DIRECTORY=/data/storage
WORKDIR /app
# Owned by root: the application can't change itself, only its data.
COPY --from=build /src/build ./
RUN mkdir /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3333

# Whether the process lives. Whether its databases do is what /health/ready says: a restart would not mend
# those.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]

# Node.js itself, not npm: it gets the signals, and its status is the container's.
CMD ["node", "bin/server.js"]
