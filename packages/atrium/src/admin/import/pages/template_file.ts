import { stringify } from 'csv-stringify/sync'
import type { ImportField } from '../import_fields.js'

/**
 * A CSV file with nothing but the heading that an import of these fields understands. [D3]
 */
export function templateFile(fields: readonly ImportField[]): string {
  return stringify([fields.map(({ name }) => name)], { record_delimiter: '\r\n' })
}
