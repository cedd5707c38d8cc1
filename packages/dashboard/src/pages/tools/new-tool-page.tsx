import { Page } from "../../components/page.tsx";

export function NewToolPage() {
  return <Page title="NewToolPage">{null}</Page>;
}
