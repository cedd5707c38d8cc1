import { Page } from "../../components/page.tsx";

export function ToolPage() {
  return <Page title="ToolPage">{null}</Page>;
}
