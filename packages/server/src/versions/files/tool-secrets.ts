import type { ToolContent } from "@foyer/contract";
import { headerPlaceholder } from "@foyer/contract/rules/url-template";

type SecretParts = Pick<ToolContent, "name"> &
  Partial<Pick<ToolContent, "httpHeaders" | "httpUrl" | "formWebhookUrl" | "formPostActions">>;

/** A header or a query parameter of a tool. */
type Value = { path: string; name: string; value: string };

const secretName = /authorization|cookie|token|secret|password|api[-_]?key/i;

/** The header and query values whose names say that they are secret, and which are written out. */
export function findPlainSecrets(tool: SecretParts): Value[] {
  const found: Value[] = [];
  mapValues(tool, (value) => {
    if (isPlainSecret(value)) found.push(value);
    return value.value;
  });
  return found;
}

/** The tool with `{{<TOOL>_<NAME>}}` in the place of each secret that is written out, and the names of these. */
export function maskSecrets<Tool extends SecretParts>(tool: Tool): { tool: Tool; names: string[] } {
  const names = new Set<string>();
  const masked = mapValues(tool, (value) => {
    if (!isPlainSecret(value)) return value.value;
    names.add(toSecretName(tool, value));
    return `{{${toSecretName(tool, value)}}}`;
  });
  return { tool: masked, names: [...names] };
}

/**
 * The tool with the secrets that the stored one has written out, where it has their masks. A mask stays once there is a
 * secret of its name.
 */
export function unmaskSecrets<Tool extends SecretParts>(
  tool: Tool,
  { stored, isSecret }: { stored: SecretParts; isSecret: (name: string) => boolean },
): Tool {
  const plain = new Map(findPlainSecrets(stored).map((value) => [key(value), value]));
  return mapValues(tool, (value) => {
    const hidden = plain.get(key(value));
    if (!hidden) return value.value;
    const name = toSecretName(tool, hidden);
    return value.value === `{{${name}}}` && !isSecret(name) ? hidden.value : value.value;
  });
}

const key = ({ path, name }: Value) => `${path} ${name}`;

/** A value that the model fills in, such as `{token}`, is not a secret. */
function isPlainSecret({ name, value }: Value): boolean {
  if (value === "" || !secretName.test(name) || /^\{[^{}]+\}$/.test(value)) return false;
  return value.search(headerPlaceholder) === -1;
}

/** The name of the secret that stands for a header or query value of a tool in files. */
export function toSecretName(tool: Pick<SecretParts, "name">, { name }: Pick<Value, "name">): string {
  return `${tool.name}_${name}`.toUpperCase().replace(/[^A-Z0-9]+/g, "_");
}

type Replace = (value: Value) => string;

function mapValues<Tool extends SecretParts>(tool: Tool, replace: Replace): Tool {
  const { httpHeaders, httpUrl, formWebhookUrl, formPostActions } = tool;
  return {
    ...tool,
    ...(httpHeaders ? { httpHeaders: mapHeaders("httpHeaders", httpHeaders, replace) } : {}),
    ...(httpUrl ? { httpUrl: mapQuery("httpUrl", httpUrl, replace) } : {}),
    ...(formWebhookUrl ? { formWebhookUrl: mapQuery("formWebhookUrl", formWebhookUrl, replace) } : {}),
    ...(formPostActions ? { formPostActions: formPostActions.map(toAction) } : {}),
  };

  function toAction(action: NonNullable<SecretParts["formPostActions"]>[number], index: number) {
    const path = `formPostActions.${index}`;
    const { headers, url, webhookUrl } = action;
    return {
      ...action,
      ...(headers ? { headers: mapHeaders(`${path}.headers`, headers, replace) } : {}),
      ...(url ? { url: mapQuery(`${path}.url`, url, replace) } : {}),
      ...(webhookUrl ? { webhookUrl: mapQuery(`${path}.webhookUrl`, webhookUrl, replace) } : {}),
    };
  }
}

function mapHeaders(path: string, headers: Record<string, string>, replace: Replace): Record<string, string> {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name, replace({ path: `${path}.${name}`, name, value })]));
}

/** Works on the text, because a template is not always a URL, and the rest of it must stay as it is. */
function mapQuery(path: string, url: string, replace: Replace): string {
  const [, before = url, query, hash = ""] = /^([^?#]*\?)([^#]*)(#.*)?$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const pairs = query.split("&").map((pair) => {
    const [, encodedName = "", value] = /^([^=]*)=(.*)$/s.exec(pair) ?? [];
    return value === undefined ? pair : `${encodedName}=${replace({ path, name: decodeName(encodedName), value })}`;
  });
  return before + pairs.join("&") + hash;
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
