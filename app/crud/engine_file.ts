import { fileURLToPath } from 'node:url'

/**
 * Absolute path of a file that the engine brings with it. `resources` and `stubs` are next to `app` in the production
 * build, too. This is the only module that knows where they are.
 *
 * @param path  as in `resources/assets/admin/admin.css`
 */
export function engineFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
