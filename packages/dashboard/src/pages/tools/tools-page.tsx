import { Page } from "../../components/page.tsx";

export function ToolsPage() {
  return <Page title="ToolsPage">{null}</Page>;
}
