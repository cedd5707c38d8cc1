import swagger from "@fastify/swagger";
import * as contract from "@foyer/contract";
import Fastify, { type FastifySchema, type RouteOptions } from "fastify";
import { completeDocument } from "./openapi-document.ts";
import { requestExamples } from "./openapi-examples.ts";
import { errorResponses, headers, responses, tags, webhooks } from "./openapi-parts.ts";
import { createSchemaBucket } from "./schema-bucket.ts";

/** The codes of errors are listed in the guide about errors. */
const createDescription = (
  baseUrl: string,
) => `The API of this server is at \`${baseUrl}\`. Create a key in the dashboard under Settings, API, and send it as a bearer token:

\`\`\`sh
curl ${baseUrl}/agents \\
  -H "Authorization: Bearer $FOYER_API_KEY"
\`\`\`

\`\`\`json
{
  "data": [{ "id": "agent_01k…", "name": "Harbour", "slug": "harbour" }],
  "error": null
}
\`\`\`

Every error has the body \`{ "data": null, "error": { "code", "message", "details"? } }\`. [Errors](${baseUrl}/docs/errors) lists the codes.`;

/**
 * Generates the OpenAPI document of these routes. @fastify/swagger reads the routes of an app, so the routes are added
 * to a separate app without their handlers. This way, the real app does not have to load the plugin at startup.
 */
export async function generateOpenApi(routes: readonly RouteOptions[], baseUrl: string): Promise<object> {
  const app = Fastify({ exposeHeadRoutes: false, schemaController: { bucket: createSchemaBucket } });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => () => "");
  for (const schema of Object.values(contract)) {
    if (typeof schema === "object" && "$id" in schema) app.addSchema(schema);
  }
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Foyer", version: "0.1.0", description: createDescription(baseUrl) },
      servers: [{ url: baseUrl }],
      tags,
      components: {
        headers,
        responses,
        securitySchemes: {
          apiKey: { type: "http", scheme: "bearer", description: "An API key of the organization" },
          session: { type: "apiKey", in: "cookie", name: "foyer_session", description: "Set by signing in" },
          conversationToken: {
            type: "http",
            scheme: "bearer",
            description: "The `conversationToken` from `message_start`, valid for that conversation only",
          },
        },
      },
    } as object,
    // biome-ignore lint/complexity/useMaxParams: the arguments of this callback
    refResolver: { buildLocalReference: (json, _base, _fragment, index) => String(json.$id ?? `def-${index}`) },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...addSecurity(schema, route.config?.access),
        operationId: operationIds.get(`${route.method} ${url}`) ?? "",
        ...(route.config?.idempotent ? { headers: retryHeader } : {}),
      },
      url,
    }),
    transformObject: (document) => {
      if (!("openapiObject" in document)) throw new Error("the document is not OpenAPI 3");
      const generated = document.openapiObject as unknown as Parameters<typeof completeDocument>[0];
      return completeDocument(generated, { requestExamples, errorResponses, webhooks }) as object;
    },
  });
  for (const { method, url, schema, config } of routes) {
    if (schema && !schema.hide) app.route({ method, url, schema, config: { ...config }, handler: () => {} });
  }
  await app.ready();
  return app.swagger();
}

/**
 * The name of each operation by its method and URL. It is the name of the endpoint in the contract, which the SDK also
 * uses.
 */
const operationIds = new Map(
  Object.entries(contract).flatMap(([name, value]) =>
    typeof value === "object" && "method" in value && "url" in value ? [[`${value.method} ${value.url}`, name]] : [],
  ),
);

const retryHeader = {
  type: "object",
  properties: {
    "Idempotency-Key": {
      type: "string",
      minLength: 1,
      maxLength: 255,
      description:
        "Makes the request safe to repeat: for 24 hours, the same key and body return the first response and create nothing new.",
    },
  },
};

/**
 * Adds the operation's security requirements. All other parts that operations share are added by `completeDocument`.
 */
function addSecurity(schema: FastifySchema | undefined, access = "account"): FastifySchema {
  if (!schema || schema.hide) return { ...schema, hide: true };
  const account = [{ apiKey: [] }, { session: [] }];
  const signedIn = [{ session: [] }];
  const security = {
    public: [],
    // An empty requirement makes credentials optional.
    visitor: [{}, { conversationToken: [] }, ...account],
    account,
    conversation: [...account, { conversationToken: [] }],
    session: signedIn,
    user: signedIn,
  };
  return { ...schema, security: security[access as keyof typeof security] };
}
