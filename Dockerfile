# syntax=docker/dockerfile:1
# The whole of Diktera: pages, transcription server and the embedded English engine. Not Alpine: the
# engine's native library needs glibc.
FROM node:20.20.2-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY server/package.json server/
COPY tools/api-docs/package.json tools/api-docs/
RUN npm ci
COPY . .
RUN npm run build
# What only the pages need is in dist/web by now: the server's own packages stay.
RUN npm prune --omit=dev --omit=peer

FROM node:20.20.2-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=5180
WORKDIR /app
COPY --from=build --chown=root:root /app/package.json ./
COPY --from=build --chown=root:root /app/server/package.json ./server/
COPY --from=build --chown=root:root /app/node_modules ./node_modules
COPY --from=build --chown=root:root /app/dist/server ./dist/server
COPY --from=build --chown=root:root /app/dist/web ./dist/web
USER node
EXPOSE 5180
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s --retries=3 \
    CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
STOPSIGNAL SIGTERM
CMD ["node", "dist/server/main.js"]
