import { Page } from "../../components/page.tsx";

export function AppearancePage() {
  return <Page title="AppearancePage">{null}</Page>;
}
