import { findSecretNames, readHost } from "@foyer/contract/rules/url-template";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Status } from "../../../components/status.tsx";
import { endpointQuery } from "../../../data/queries.ts";
import { useRole } from "../../../data/use-role.ts";

/** Whether the secrets that a tool uses exist and are allowed for the host it calls. */
export function SecretNotes({ texts, url }: { texts: string[]; url: string }) {
  const { isAdmin } = useRole();
  const secrets = useQuery({ ...endpointQuery("listSecrets"), enabled: isAdmin }).data;
  const named = findSecretNames(texts);
  const host = readHost(url);
  if (named.length === 0) return null;
  if (!isAdmin) {
    return <p className="text-soft">Only admins can see the secrets. Test the tool to check that they work.</p>;
  }
  if (!secrets) return null;
  return (
    <ul className="grid gap-2">
      {named.map((name) => {
        const secret = secrets.find((secret) => secret.name === name);
        const isRefused = secret && secret.hosts.length > 0 && host !== "" && !secret.hosts.includes(host);
        return (
          <li key={name} className="flex flex-wrap items-baseline gap-x-3">
            <Status tone={secret && !isRefused ? "fine" : "wrong"}>
              <code>{name}</code>
            </Status>
            <span className="text-soft">
              {!secret && "No secret has this name, so calls fail."}
              {isRefused && `Limited to ${secret.hosts.join(", ")}, so calls to ${host} fail.`}
              {secret && !isRefused && "Filled in with every call."}
            </span>
            {(!secret || isRefused) && (
              <Link to="/settings/secrets" className="underline underline-offset-2">
                Go to Secrets
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}
