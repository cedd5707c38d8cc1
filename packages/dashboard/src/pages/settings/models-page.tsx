import { Page } from "../../components/page.tsx";

export function ModelsPage() {
  return <Page title="ModelsPage">{null}</Page>;
}
