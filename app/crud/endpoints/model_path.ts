import { isPathSegment } from '../checks.js'
import { ValueError } from '../errors.js'
import type { Resource } from '../resource/resource.js'

/**
 * The path of a model's endpoints below the prefix: `order_lines` -> `/order-lines`. An explicit path is
 * taken as it is. [P5]
 *
 * @throws ValueError  for an invalid path
 */
export function modelPath(path: string | undefined, { name, table }: Resource): string {
  const own = (path ?? table.replaceAll('_', '-')).replace(/^\/+|\/+$/g, '')
  if (!own.split('/').every(isPathSegment)) {
    throw new ValueError(
      `${name}: path is '${path}', which may hold only letters, digits, / and . _ ~ -`
    )
  }
  return `/${own}`
}
