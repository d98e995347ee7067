import type { LucidRow } from '@adonisjs/lucid/types/model'
import type { RestoredFields } from './prefill/restored_fields.js'
import type { FormFailure } from './submission/form_failure.js'
import type { Submission } from './submission/submission.js'

/**
 * Form field with the version of the record that an update form shows. [B25]
 */
export const versionField = '_version'

/**
 * Field of the button *Save and next*. [L11]
 */
export const nextField = '_next'

/**
 * The version that a form was opened with, and the sealed record, as they were sent. [B25, R15]
 */
export interface SentVersion {
  version: string
  sealed: string | undefined
}

/**
 * State of a form page, in addition to the fields.
 */
export interface FormState {
  /** Record to update */
  record?: LucidRow
  /** Texts that a blank form begins with, by name */
  given?: Record<string, string[]>
  /** Values of an earlier version of the record [R8] */
  restored?: RestoredFields | null
  /** Submitted values */
  submission?: Submission
  failure?: FormFailure
  /** Sentences about texts that were kept and are shown again [R5, R10] */
  keptNotes?: readonly string[]
  /** Version that the form continues from, as it was sent. Default: the record's */
  sent?: SentVersion
  /** State for the view's panel */
  panelState?: unknown
}
