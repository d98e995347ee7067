import { column } from '@adonisjs/lucid/orm'
import type { DateTime } from 'luxon'
import '#crud'
import { AdminModel, jsonColumn } from './admin_model.js'
import type { ActsAs } from './admin_session.js'

/** `reverting`: the job failed or was cancelled, and the records that it wrote are being reverted */
export const JOB_STATES = ['queued', 'running', 'reverting', 'done', 'failed', 'cancelled'] as const

export type JobState = (typeof JOB_STATES)[number]

/** The request that started a job. Its data is stored in the events of the job. */
export interface JobOrigin {
  requestId: string
  ip: string
  userAgent: string | null
  sessionId: number | null
  /** The user that a superuser was signed in as when the job was started; events contain both users */
  actsAs?: ActsAs
  /** Time zone in which the job's filters and forms are read; undefined in jobs of earlier versions */
  timeZone?: string
}

/** A background job with progress and result. Only `JobStore` writes it. */
export default class AdminJob extends AdminModel {
  static table = 'admin_jobs'

  @column({ isPrimary: true })
  declare id: number

  /** Name of the job kind, such as `bulk` */
  @column()
  declare kind: string

  /** Owner, with whose permissions the job runs */
  @column()
  declare userId: number

  @column()
  declare username: string

  /** Class name of the job's model */
  @column()
  declare model: string | null

  @column()
  declare state: JobState

  /** Number of records whose changes are committed */
  @column()
  declare done: number

  /** Null if not known yet */
  @column()
  declare total: number | null

  /**
   * Number of records that a started step writes in another database; null without such a step. If the process was
   * killed during the step, it is unknown which of the records are written
   */
  @column()
  declare pending: number | null

  /** Parameters of the job, without secrets */
  @column({ ...jsonColumn, serializeAs: null })
  declare payload: Record<string, unknown>

  @column({ ...jsonColumn, serializeAs: null })
  declare origin: JobOrigin

  /** Data that the next step needs from the previous ones, also after an interruption */
  @column({ ...jsonColumn, serializeAs: null })
  declare notes: Record<string, unknown> | null

  @column(jsonColumn)
  declare result: Record<string, unknown> | null

  /** Error message of a failed job */
  @column({ columnName: 'fault' })
  declare error: string | null

  /** Number of times that the job's process was killed */
  @column()
  declare interruptions: number

  /** Id of the current run; null unless the job is running */
  @column({ serializeAs: null })
  declare run: string | null

  @column.dateTime()
  declare createdAt: DateTime

  @column.dateTime()
  declare startedAt: DateTime | null

  @column.dateTime()
  declare endedAt: DateTime | null
}

/** Returns true while the job waits, runs, or reverts its records. */
export function isUnfinished({ state }: Pick<AdminJob, 'state'>): boolean {
  return state === 'queued' || state === 'running' || state === 'reverting'
}
