/**
 * URL of a job's page, from the root of the server.
 */
export function jobUrl(site: { url(path: string): string }, { id }: { id: number }): string {
  return site.url(`/management/jobs/${id}`)
}
