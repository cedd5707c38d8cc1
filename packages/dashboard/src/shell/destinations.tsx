import { Bot, ChartColumn, Code, FileText, MessageSquare, Palette, Settings, Wrench, Zap } from "lucide-react";

/** The pages of an agent, in the order of the sidebar. */
export const agentPages = [
  { name: "Conversations", to: "/agents/$agentId/conversations", icon: <MessageSquare size={16} aria-hidden /> },
  { name: "Analytics", to: "/agents/$agentId/analytics", icon: <ChartColumn size={16} aria-hidden /> },
  { name: "Forms", to: "/agents/$agentId/forms", icon: <FileText size={16} aria-hidden /> },
  {
    name: "Agent",
    to: "/agents/$agentId",
    icon: <Bot size={16} aria-hidden />,
    activeOptions: { exact: true },
  },
  { name: "Tools", to: "/agents/$agentId/tools", icon: <Wrench size={16} aria-hidden /> },
  { name: "Triggers", to: "/agents/$agentId/triggers", icon: <Zap size={16} aria-hidden /> },
  { name: "Appearance", to: "/agents/$agentId/appearance", icon: <Palette size={16} aria-hidden /> },
  { name: "Embed", to: "/agents/$agentId/embed", icon: <Code size={16} aria-hidden /> },
] as const;

export const settingsIcon = <Settings size={16} aria-hidden />;

const roles = ["member", "admin", "owner"];

/** Whether the role may open a page of the settings. */
export function mayOpen(role: string | null, { minimumRole }: { minimumRole: string }): boolean {
  return roles.indexOf(role ?? "member") >= roles.indexOf(minimumRole);
}

/** The pages of the settings, in the order of their tabs. */
export const settingsPages = [
  { name: "You", to: "/settings/you", minimumRole: "member" },
  { name: "Members", to: "/settings/members", minimumRole: "member" },
  { name: "Models", to: "/settings/models", minimumRole: "admin" },
  { name: "Secrets", to: "/settings/secrets", minimumRole: "admin" },
  { name: "API", to: "/settings/api", minimumRole: "admin" },
  { name: "Webhooks", to: "/settings/webhooks", minimumRole: "admin" },
  { name: "Plan", to: "/settings/plan", minimumRole: "member" },
  { name: "Health", to: "/settings/health", minimumRole: "admin" },
  { name: "Audit log", to: "/settings/audit-log", minimumRole: "owner" },
] as const;
