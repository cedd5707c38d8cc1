import { Page } from "../../components/page.tsx";

export function ApiKeysPage() {
  return <Page title="ApiKeysPage">{null}</Page>;
}
