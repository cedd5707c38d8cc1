import { Bot, Code, FileText, MessageSquare, Palette, Settings, Wrench, Zap } from "lucide-react";

/** The pages of an agent, in the order of the navigation. */
export const agentPages = [
  { name: "Conversations", to: "/agents/$agentId/conversations", icon: <MessageSquare size={16} aria-hidden /> },
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

/** Whether somebody with that role may use a page of the settings. */
export function mayOpen(role: string | null, { least }: { least: string }): boolean {
  return roles.indexOf(role ?? "member") >= roles.indexOf(least);
}

/** The pages of the settings, and the least role that may use each. */
export const settingsPages = [
  { name: "API", to: "/settings/api", least: "admin" },
  { name: "Members", to: "/settings/members", least: "member" },
  { name: "Secrets", to: "/settings/secrets", least: "admin" },
  { name: "Models", to: "/settings/models", least: "admin" },
  { name: "Webhooks", to: "/settings/webhooks", least: "admin" },
  { name: "Plan", to: "/settings/plan", least: "member" },
  { name: "Audit log", to: "/settings/audit-log", least: "owner" },
  { name: "Health", to: "/settings/health", least: "admin" },
  { name: "You", to: "/settings/you", least: "member" },
] as const;
