import { toInitials } from "@foyer/contract/rules/initials";
import { useQuery } from "@tanstack/react-query";
import {
  Link,
  type LinkProps,
  useNavigate,
  useParams,
  useRouter,
  useRouterState,
  useSearch,
} from "@tanstack/react-router";
import { ChevronsUpDown, ListChecks, Monitor, Moon, Search, Sun, X } from "lucide-react";
import type { ReactNode } from "react";
import { Avatar } from "../components/avatar.tsx";
import { IconButton } from "../components/button.tsx";
import { Logo } from "../components/logo.tsx";
import { Menu } from "../components/menu.tsx";
import { api } from "../data/api.ts";
import { useInboxLive } from "../data/inbox-live.ts";
import { readLastAgentId, rememberAgent } from "../data/last-agent.ts";
import { dismissOnboarding, stepIds, useOnboarding } from "../data/onboarding.ts";
import { endpointQuery, queryClient } from "../data/queries.ts";
import { signOut } from "../data/sign-out.ts";
import { chooseTheme, type Theme, useTheme } from "../data/theme.ts";
import { notify } from "../data/toasts.ts";
import { useAway } from "../data/use-away.ts";
import { agentPages, findAgentPage, settingsIcon } from "./destinations.tsx";

/** The current agent, its pages, and the account menu. */
export function Sidebar({ onSearch }: { onSearch: () => void }) {
  const { agentId: shownId } = useParams({ strict: false });
  const { agentId: setUpId } = useSearch({ strict: false });
  const isSetUp = useRouterState({ select: ({ location }) => location.pathname === "/start" });
  const isNew = isSetUp && !setUpId;
  const agentId = isSetUp ? setUpId : shownId;
  const agents = useQuery(endpointQuery("listAgents")).data ?? [];
  if (agentId) rememberAgent(agentId);
  const known = agents.find(({ id }) => id === (agentId ?? readLastAgentId())) ?? agents[0];
  // The pages of another agent would be taken for those of the agent that is being created.
  const current = isNew ? undefined : known;
  return (
    <nav aria-label="Main" className="flex h-full flex-col gap-1 overflow-y-auto px-3 pb-3">
      <Link to="/" className="relative flex h-14 items-start gap-2 px-2 text-lg font-semibold" aria-label="Foyer home">
        <Logo isHanging />
        <span className="pt-3.5">Foyer</span>
      </Link>
      <AgentSwitcher name={current?.name ?? (known ? "New agent" : "No agents yet")} agents={agents} />
      <button
        type="button"
        onClick={onSearch}
        className="mb-2 flex h-8 items-center gap-2 rounded-lg px-2 text-soft hover:bg-hover pointer-coarse:h-11"
      >
        <Search size={16} aria-hidden /> Search
        <kbd className="ms-auto font-sans text-sm">{isMac ? "⌘K" : "Ctrl K"}</kbd>
      </button>
      {current && <ContinueSetup agentId={current.id} />}
      {current &&
        [...Map.groupBy(agentPages, ({ group }) => group)].map(([group, pages]) => (
          <div key={group} className="mt-4 first-of-type:mt-0">
            {group && (
              <p id={`pages-${group}`} className="mb-1 px-2 text-xs text-soft">
                {group}
              </p>
            )}
            <ul aria-labelledby={group ? `pages-${group}` : undefined} className="grid gap-0.5">
              {pages.map(({ name, icon, group: _, ...link }) => (
                <li key={name} className="grid">
                  <SideLink icon={icon} {...link} params={{ agentId: current.id }}>
                    {name}
                    {name === "Conversations" && <WaitingCount />}
                  </SideLink>
                </li>
              ))}
            </ul>
          </div>
        ))}
      <div className="mt-auto grid grid-cols-[minmax(0,1fr)] gap-0.5 pt-4">
        <SideLink to="/settings" icon={settingsIcon}>
          Settings
        </SideLink>
        <AccountMenu />
      </div>
    </nav>
  );
}

/** How many visitors of all agents are waiting for a person. */
function WaitingCount() {
  const waiting = useInboxLive(({ counts }) => counts?.waiting ?? 0);
  if (waiting === 0) return null;
  return (
    <span className="ms-auto inline-grid h-5 min-w-5 place-items-center rounded-full bg-lamp px-1.5 text-sm font-medium text-on-lamp">
      {waiting.toLocaleString()}
      <span className="sr-only"> waiting</span>
    </span>
  );
}

/** Leads to the first step of the agent's onboarding that is not done, until all are done or it was dismissed. */
function ContinueSetup({ agentId }: { agentId: string }) {
  const progress = useOnboarding(agentId);
  const isOpen = useRouterState({ select: ({ location }) => location.pathname === "/start" });
  if (!progress || isOpen) return null;
  return (
    <div className="mb-2 flex items-center rounded-lg hover:bg-hover">
      <Link
        to="/start"
        search={{ agentId, step: progress.step }}
        className="flex min-h-8 min-w-0 flex-1 items-center gap-2 ps-2 font-medium text-soft pointer-coarse:min-h-11"
      >
        <ListChecks size={16} aria-hidden className="shrink-0" />
        <span className="flex-1 truncate">Finish setup</span>
        <span className="text-sm font-normal tabular-nums">
          <span aria-hidden>
            {progress.done.length}/{stepIds.length}
          </span>
          <span className="sr-only">
            , {progress.done.length} of {stepIds.length} steps done
          </span>
        </span>
      </Link>
      <IconButton label="Dismiss setup" onClick={() => dismissOnboarding(agentId)}>
        <X size={14} aria-hidden />
      </IconButton>
    </div>
  );
}

const isMac = /Mac|iPhone|iPad/.test(navigator.platform);

function SideLink({ icon, children, ...link }: LinkProps & { icon: ReactNode; children: ReactNode }) {
  return (
    <Link
      {...link}
      className="flex h-8 items-center gap-2 rounded-lg px-2 font-medium hover:bg-hover pointer-coarse:h-11"
      activeProps={{ className: "bg-selected" }}
      inactiveProps={{ className: "text-soft" }}
    >
      {icon}
      {children}
    </Link>
  );
}

function AgentSwitcher({ name, agents }: { name: string; agents: ReadonlyArray<{ id: string; name: string }> }) {
  const navigate = useNavigate();
  const page = useRouterState({ select: ({ location }) => findAgentPage(location.pathname) });
  return (
    <Menu
      align="start"
      trigger={
        <button
          type="button"
          className="mb-1 flex min-h-10 items-center gap-2 rounded-lg border border-line bg-raised px-3 text-start font-medium hover:bg-hover"
        >
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <span className="sr-only">, switch agent</span>
          <ChevronsUpDown size={16} aria-hidden className="text-soft" />
        </button>
      }
      items={[
        ...agents.slice(0, 12).map(({ id, name: label }) => ({
          label,
          onSelect: () => navigate({ to: page, params: { agentId: id } }),
        })),
        null,
        { label: "All agents", onSelect: () => navigate({ to: "/agents" }) },
        { label: "Create agent", onSelect: () => navigate({ to: "/start" }) },
      ]}
    />
  );
}

const themes: ReadonlyArray<{ theme: Theme; label: string; icon: ReactNode }> = [
  { theme: "system", label: "Match system", icon: <Monitor size={16} aria-hidden /> },
  { theme: "light", label: "Light", icon: <Sun size={16} aria-hidden /> },
  { theme: "dark", label: "Dark", icon: <Moon size={16} aria-hidden /> },
];

function AccountMenu() {
  const { data: session } = useQuery(endpointQuery("getSession"));
  const theme = useTheme();
  const navigate = useNavigate();
  const router = useRouter();
  const [isAway, setAway] = useAway();
  if (!session) return null;
  const { user, organization, organizations } = session;
  const name = user.name?.trim() || user.email;
  const switchTo = async (organizationId: string) => {
    if (!(await didSucceed(api.switchOrganization({ body: { organizationId } })))) return;
    // All cached data belongs to the previous organization.
    queryClient.clear();
    await router.navigate({ to: "/" });
  };
  const others = organizations.filter(({ id }) => id !== organization?.id);
  return (
    <Menu
      align="start"
      header={
        <>
          <p className="truncate text-ink">{user.email}</p>
          <p className="truncate">{organization?.name ?? "No organization"}</p>
        </>
      }
      trigger={
        <button
          type="button"
          className="flex min-h-9 w-full min-w-0 items-center gap-2 rounded-lg px-2 text-start text-soft hover:bg-hover"
        >
          <span className="sr-only">Account menu,</span>
          <Avatar initials={toInitials(name)} />
          <span className="min-w-0 flex-1 truncate">{name}</span>
          <ChevronsUpDown size={16} aria-hidden className="shrink-0" />
        </button>
      }
      items={[
        { label: "Your account", onSelect: () => navigate({ to: "/settings/you" }) },
        { label: isAway ? "I’m back" : "Set yourself away", onSelect: () => setAway(!isAway) },
        ...others.map(({ id, name }) => ({ label: `Switch to ${name}`, onSelect: () => switchTo(id) })),
        null,
        ...themes.map(({ theme: choice, label, icon }) => ({
          label: choice === theme ? `${label} (current)` : label,
          icon,
          onSelect: () => chooseTheme(choice),
        })),
        null,
        { label: "Sign out", onSelect: () => void signOut() },
      ]}
    />
  );
}

/** Whether the call succeeded. An error appears as a toast. */
function didSucceed(call: Promise<unknown>): Promise<boolean> {
  return call.then(
    () => true,
    (error: Error) => {
      notify(error.message, { isWrong: true });
      return false;
    },
  );
}
