# syntax=docker/dockerfile:1
# scripts/try-dockerfile.ts runs these steps without a container engine.

# Builds the dashboard, the widget and the documentation.
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
RUN npm run build

# Installs what the server imports at run time, and nothing else. better-sqlite3 brings its binaries in the package.
FROM node:26.10.0-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/contract/package.json packages/contract/
COPY packages/server/package.json packages/server/
COPY packages/sdk/package.json packages/sdk/
COPY packages/widget/package.json packages/widget/
COPY packages/dashboard/package.json packages/dashboard/
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund --workspace @foyer/server --workspace @foyer/contract

FROM node:26.10.0-slim
ENV NODE_ENV=production
ENV HOST=0.0.0.0
ENV PORT=3000
ENV FOYER_DATA_DIR=/data
WORKDIR /app
COPY package.json LICENSE ./
COPY --from=dependencies /app/node_modules node_modules
COPY packages/contract packages/contract
COPY packages/server packages/server
COPY --from=build /app/packages/server/dist packages/server/dist
COPY --from=build /app/packages/widget/dist packages/widget/dist
COPY --from=build /app/packages/dashboard/dist packages/dashboard/dist
# The user `node` of the base image owns nothing but the data.
RUN mkdir -p /data && chown node:node /data
USER node
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --start-interval=1s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/readyz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
# Without npm in between, the process receives SIGTERM itself and lets running replies finish.
CMD ["node", "--max-semi-space-size=4", "--heap-growing-percent=40", "packages/server/src/main.js"]
