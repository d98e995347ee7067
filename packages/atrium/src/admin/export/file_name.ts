import string from '@adonisjs/core/helpers/string'
import { DateTime } from 'luxon'
import type { ModelView } from '../model_view.js'
import type { FileFormat } from '../sheets/file_format.js'
import { presentZone } from '../time/present_zone.js'

/**
 * Name of the file of an export, with the day in the person's time zone: `films-2026-11-23.csv`. Only letters, digits,
 * dots and dashes of ASCII, which every header and file system takes.
 */
export function fileName({ label, name }: ModelView, format: FileFormat): string {
  const day = DateTime.now().setZone(presentZone()).toISODate()
  return `${slugOf(label) || slugOf(name) || 'export'}-${day}.${format}`
}

function slugOf(text: string): string {
  return string
    .slug(text, { lower: true, strict: true })
    .replace(/[^a-z0-9-]/g, '')
    .slice(0, 80)
}
