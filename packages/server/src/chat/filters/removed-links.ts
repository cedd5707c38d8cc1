import { removedLinkLimits } from "@foyer/contract";
import type { AgentRow, MessageRow } from "../../db/tables.ts";

/** The names of hosts in a text. They can be surrounded by characters that some programs do not take for the host. */
const hostNames = /[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu;

/** The texts of the agent's settings that name hosts which replies may link to. */
export function listNamingTexts({
  systemPrompt,
  allowedOrigins,
  linkHosts,
}: Pick<AgentRow, "systemPrompt" | "allowedOrigins" | "linkHosts">): string[] {
  const hosts: string[] = JSON.parse(linkHosts);
  return [systemPrompt ?? "", allowedOrigins, ...hosts.map((host) => `https://${host}`)];
}

/**
 * Collects the hosts of removed links for members, who can then allow them. Hosts that are known are omitted: a link to
 * one of them was removed because of its form.
 */
export function createRemovedLinks(isKnown: (address: string) => boolean) {
  const hosts = new Set<string>();
  return {
    add(address: string): void {
      if (hosts.size >= removedLinkLimits.hosts) return;
      for (const host of listHosts(address)) {
        if (hosts.size < removedLinkLimits.hosts && !hosts.has(host) && !isKnown(`https://${host}/`)) hosts.add(host);
      }
    },
    /** The column that stores them, `null` for none. */
    toColumn: (): MessageRow["removedLinks"] => (hosts.size > 0 ? JSON.stringify([...hosts]) : null),
  };
}

/** The hosts in the part of an address that programs take for its host. Other schemes have none. */
function listHosts(address: string): string[] {
  const [, authority] =
    /^(?:https?:|ftp:)?[/\\]+([^/\\?#]*)/i.exec(address) ?? /^(?:mailto:|(?=www\.))([^/\\?#]*)/i.exec(address) ?? [];
  if (authority === undefined) return [];
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  // The parser decodes an encoded host. It refuses some characters that can follow an address in a text.
  const text = URL.parse(`https://${host}`)?.hostname ?? host;
  const found = (text.match(hostNames) ?? []).map((name) => URL.parse(`https://${name}`)?.hostname ?? "");
  return found.filter((name) => name !== "" && name.length <= removedLinkLimits.characters);
}
