import { Problem } from '#crud'
import type { BodySchema } from '#crud/schema/body_schema'
import { InvalidForm } from './form_failure.js'
import type { Submission } from './submission.js'
import type { Uploads } from '../files/uploads.js'

/**
 * From a submission to the values of a model, through the schema that the endpoints use. Files are
 * stored on the way.
 *
 * @param meta  handed to the schema's rules
 * @returns the values by attribute name, virtual fields by their own
 * @throws InvalidForm
 */
export async function parseForm(
  body: BodySchema,
  { values, faults }: Submission,
  uploads: Uploads,
  meta: Record<string, unknown>
): Promise<Record<string, unknown>> {
  let parsed: Record<string, unknown> = {}
  const errors = [...faults]
  try {
    parsed = await body.parse({ ...values, ...(await uploads.forSchema()) }, meta)
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 422) throw error
    /* A field that can't be read is missed by the schema, too. */
    const known = new Set(faults.map(({ field }) => field))
    errors.push(...(error.errors ?? []).filter(({ field }) => !known.has(field)))
  }
  if (errors.length > 0) throw new InvalidForm(errors)
  await uploads.storeIn(parsed)
  return parsed
}
