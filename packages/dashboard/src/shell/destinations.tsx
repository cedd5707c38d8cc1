import { isAtLeast, minimumRole, type Role } from "@foyer/contract/rules/roles";
import {
  BookOpen,
  Bot,
  ChartColumn,
  Code,
  FileText,
  FlaskConical,
  Headset,
  History,
  IdCard,
  MessageSquare,
  Palette,
  Settings,
  Wrench,
  Zap,
} from "lucide-react";

/** The pages of an agent, in the order and groups of the sidebar. The first group has no label. */
export const agentPages = [
  {
    name: "Conversations",
    group: "",
    to: "/agents/$agentId/conversations",
    icon: <MessageSquare size={16} aria-hidden />,
  },
  { name: "Submissions", group: "", to: "/agents/$agentId/forms", icon: <FileText size={16} aria-hidden /> },
  { name: "Analytics", group: "", to: "/agents/$agentId/analytics", icon: <ChartColumn size={16} aria-hidden /> },
  {
    name: "Agent",
    group: "Build",
    to: "/agents/$agentId",
    icon: <Bot size={16} aria-hidden />,
    activeOptions: { exact: true },
  },
  { name: "Knowledge", group: "Build", to: "/agents/$agentId/knowledge", icon: <BookOpen size={16} aria-hidden /> },
  { name: "Tools", group: "Build", to: "/agents/$agentId/tools", icon: <Wrench size={16} aria-hidden /> },
  { name: "Triggers", group: "Build", to: "/agents/$agentId/triggers", icon: <Zap size={16} aria-hidden /> },
  { name: "Handoff", group: "Build", to: "/agents/$agentId/handoff", icon: <Headset size={16} aria-hidden /> },
  { name: "Tests", group: "Build", to: "/agents/$agentId/tests", icon: <FlaskConical size={16} aria-hidden /> },
  { name: "Versions", group: "Build", to: "/agents/$agentId/versions", icon: <History size={16} aria-hidden /> },
  {
    name: "Appearance",
    group: "On your site",
    to: "/agents/$agentId/appearance",
    icon: <Palette size={16} aria-hidden />,
  },
  { name: "Embed", group: "On your site", to: "/agents/$agentId/embed", icon: <Code size={16} aria-hidden /> },
  { name: "Identity", group: "On your site", to: "/agents/$agentId/identity", icon: <IdCard size={16} aria-hidden /> },
] as const;

/** The agent's page to which an address belongs, so that choosing another agent stays on that page. */
export function findAgentPage(pathname: string) {
  const [, section] = /^\/agents\/[^/]+\/([^/]+)/.exec(pathname) ?? [];
  return agentPages.find(({ to }) => to === `/agents/$agentId/${section}`)?.to ?? "/agents/$agentId";
}

export const settingsIcon = <Settings size={16} aria-hidden />;

/** Whether a role may open a settings page. */
export function canOpen(role: Role | null, page: { minimumRole: Role }): boolean {
  return isAtLeast(role ?? "member", page.minimumRole);
}

/** The settings pages in the order of their list. A page needs the minimum role of the endpoint that it reads. */
export const settingsPages = [
  { name: "You", group: "Account", to: "/settings/you", minimumRole: "member" },
  { name: "Members", group: "Team", to: "/settings/members", minimumRole: minimumRole("GET", "/members") },
  { name: "Teams", group: "Team", to: "/settings/teams", minimumRole: minimumRole("GET", "/teams") },
  { name: "Notifications", group: "Team", to: "/settings/notices", minimumRole: minimumRole("GET", "/notices") },
  {
    name: "Canned replies",
    group: "Team",
    to: "/settings/canned-replies",
    minimumRole: minimumRole("GET", "/canned-replies"),
  },
  { name: "Tags", group: "Team", to: "/settings/tags", minimumRole: minimumRole("GET", "/tags") },
  { name: "Trash", group: "Team", to: "/settings/trash", minimumRole: minimumRole("GET", "/trash") },
  {
    name: "Models",
    group: "Connections",
    to: "/settings/models",
    minimumRole: minimumRole("GET", "/models/providers"),
  },
  { name: "Secrets", group: "Connections", to: "/settings/secrets", minimumRole: minimumRole("GET", "/secrets") },
  { name: "API", group: "Connections", to: "/settings/api", minimumRole: minimumRole("GET", "/api-keys") },
  {
    name: "Webhooks",
    group: "Connections",
    to: "/settings/webhooks",
    minimumRole: minimumRole("GET", "/tools/:id/webhook-secret"),
  },
  {
    name: "Visitor data",
    group: "Administration",
    to: "/settings/visitors",
    minimumRole: minimumRole("GET", "/visitors/data"),
  },
  { name: "Plan", group: "Administration", to: "/settings/plan", minimumRole: minimumRole("GET", "/plan") },
  { name: "Health", group: "Administration", to: "/settings/health", minimumRole: minimumRole("GET", "/doctor") },
  {
    name: "Audit log",
    group: "Administration",
    to: "/settings/audit-log",
    minimumRole: minimumRole("GET", "/audit-log"),
  },
] as const;
