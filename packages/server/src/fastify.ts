import { randomUUID } from "node:crypto";
import underPressure from "@fastify/under-pressure";
import * as contract from "@foyer/contract";
import Fastify, { type FastifyBaseLogger } from "fastify";
import type { AuthDeps } from "./auth/auth-deps.ts";
import { registerAuthentication } from "./auth/sessions/authenticate.ts";
import { AppError } from "./errors.ts";
import { registerAgentIdPlaces } from "./http/agent-id-places.ts";
import type { RouteTable } from "./http/allowed-methods.ts";
import type { App } from "./http/app.ts";
import { createUrlRewriter } from "./http/base-path.ts";
import { registerCors } from "./http/cors.ts";
import { registerRequestDraining } from "./http/drain-request.ts";
import { registerErrorReplies, sendError, toAppError } from "./http/error-replies.ts";
import { isDirect, normalizeForwardedFor } from "./http/forwarded.ts";
import { registerJsonBodies } from "./http/json-body.ts";
import { openApiRoutes } from "./http/openapi-routes.ts";
import { RequestLog } from "./http/request-log.ts";
import { createSchemaBucket } from "./http/schema-bucket.ts";
import { registerSecurityHeaders } from "./http/security-headers.ts";
import { buildLazySerializer } from "./http/serialization.ts";
import { registerValidation } from "./http/validation.ts";
import { registerWriteLimits } from "./http/write-limits.ts";
import { createPageFiles } from "./pages/page-files.ts";
import type { CallCounter } from "./plans/call-counter.ts";
import { createCallCounter, createPlanLimit } from "./plans/plan-calls.ts";
import { createRateLimit, findLimitedClient } from "./plans/rate-limit.ts";
import { registerRateLimitHeaders } from "./plans/rate-limit-headers.ts";
import type { ModelSettings } from "./providers/model-settings.ts";
import type { ProviderSettings } from "./providers/provider-settings.ts";

export type AppDeps = AuthDeps & { providerSettings: ProviderSettings; modelSettings: ModelSettings };

const BODY_LIMIT = 1024 * 1024;

/** Creates the HTTP server without any resource: parsing, validation, errors, security headers, access and limits. */
export function createFastify({ config, log }: AppDeps, routes: RouteTable): App {
  return Fastify({
    loggerInstance: log as FastifyBaseLogger,
    logController: new RequestLog(),
    genReqId: () => randomUUID(),
    ...(config.basePath === "" ? {} : { rewriteUrl: createUrlRewriter(config.basePath, routes) }),
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    bodyLimit: BODY_LIMIT,
    requestTimeout: 30_000,
    // Node checks for slow clients only every 30 seconds by default, which would turn 10 s into up to 40 s.
    http: { headersTimeout: 10_000, connectionsCheckingInterval: 5_000 },
    forceCloseConnections: "idle",
    frameworkErrors: (error, request, reply) => {
      // No hook runs for such a request, so it is logged here.
      request.log.info({ method: request.method, problem: error.code }, "invalid request URL");
      return sendError(toAppError(error), request, reply);
    },
    routerOptions: { ignoreTrailingSlash: true, caseSensitive: true },
    schemaController: { bucket: createSchemaBucket, compilersFactory: { buildSerializer: buildLazySerializer } },
  });
}

/** Registers what every route needs. @returns the counter that enforces the plans' limits on calls */
export async function registerPlugins(app: App, deps: AppDeps, routes: RouteTable): Promise<CallCounter> {
  const calls = createCallCounter(deps);
  routes.collectFrom(app);
  normalizeForwardedFor(app);
  registerRequestDraining(app);
  registerWriteLimits(app);
  registerCors(app);
  registerErrorReplies(app, routes, () => createPageFiles(deps.config).page("not-found.html", {}));
  registerJsonBodies(app);
  registerValidation(app);
  registerAgentIdPlaces(app);
  for (const schema of Object.values(contract)) {
    if (typeof schema === "object" && "$id" in schema) app.addSchema(schema);
  }
  registerSecurityHeaders(app, deps.config);
  registerRateLimitHeaders(app);
  await app.register(underPressure, {
    maxEventLoopDelay: deps.config.maxLag,
    pressureHandler: (request) => {
      if (request.url === "/healthz") return;
      throw new AppError("OVERLOADED", "The server is busy. Try again in a moment.", { retryAfter: 2 });
    },
  });
  const perUser = createRateLimit(deps.config.limits.sessionPerUser, "requests");
  registerAuthentication(app, deps, {
    countCall: createPlanLimit(deps, calls),
    countSession: (userId, request) => perUser.consume(findLimitedClient(request, deps.config) && userId),
  });
  if (deps.config.isLoopbackOnly) {
    // Runs in preHandler, because reading the body loses the async context that an earlier hook entered.
    app.addHook("preHandler", (request, _, done) => deps.loopbackPrivileges.run(isDirect(request), done));
  }
  const perAddress = createRateLimit(60, "requests for the API description from your address");
  openApiRoutes(app, {
    baseUrl: deps.config.baseUrl,
    // Compressed or not, each response is up to 500 KB. Browsers revalidate it, so they rarely load it twice.
    admit: (request) => perAddress.consume(findLimitedClient(request, deps.config), request),
  });
  return calls;
}
