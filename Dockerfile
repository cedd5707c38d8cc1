# syntax=docker/dockerfile:1
# scripts/try-dockerfile.ts runs these steps without a container engine.

# Builds the release, which runs with Node.js and nothing else.
FROM node:26.10.0-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/sdk/package.json packages/sdk/
COPY packages/widget/package.json packages/widget/
COPY packages/dashboard/package.json packages/dashboard/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run release && mv release/foyer-*.tar.gz release/foyer.tar.gz && tar -xf release/foyer.tar.gz -C release && mv release/foyer-*/ release/foyer

FROM node:26.10.0-slim
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=3000
ENV FOYER_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/release/foyer ./
# The user `node` of the base image owns nothing but the data.
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without npm in between, the process receives SIGTERM itself and lets running replies finish.
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=40", "server.js"]
