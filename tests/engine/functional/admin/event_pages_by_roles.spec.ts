import { test } from '@japa/runner'
import { HttpContextFactory } from '@adonisjs/core/factories/http'
import { AdminAuditLog, type AdminUser, type PermissionsDocument } from '#admin'
import { compare } from '#admin/events/pages/comparison'
import { ReadableRecords } from '#admin/events/pages/readable_records'
import { RecordPlaces } from '#admin/events/pages/record_places'
import { subjectOf } from '#admin/events/pages/shown_event'
import { Play } from '#tests/engine/fixtures/stages'
import {
  adminSite,
  emptyAdminTables,
  fakeHashes,
  makeUser,
} from '#tests/engine/helpers/admin'
import { makeRole, restoreRoles } from '#tests/engine/helpers/roles'
