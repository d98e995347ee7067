/* Public exports of the admin site */
import '#crud'

export { AdminView } from './views/decorator.js'
export { AdminSite } from './admin_site.js'
export { ModelView } from './views/model_view.js'
export { ListColumn, type Cell } from './views/list_column.js'
export { BulkAction, type Selection } from './views/bulk_action.js'
export { RecordAction, type RecordCall } from './views/record_action.js'
export { AdminPage } from './views/admin_page.js'
export { ChartCard, ListCard, NumberCard, TextCard } from './views/admin_card.js'
export { Widget } from './views/widget.js'
export { section, tab } from './views/form_parts.js'
export { defineConfig } from './config/define_config.js'
export type { Navigation, NavigationLink } from './config/navigation_config.js'
export { PrivateFolder } from './forms/files/private_folder.js'
export { s3Disk } from './forms/files/files_disk.js'
export { adminGuard } from './identity/admin_guard.js'
export { apiGuard } from './authentication/access_tokens/api_guard.js'
export { userActor } from './identity/admin_actor.js'
export type { SiteUser } from './identity/person.js'
export { AdminAuthentication } from './authentication/admin_authentication.js'
export { default as AdminUser } from './models/admin_user.js'
export { default as AdminRole } from './models/admin_role.js'
/* With `export *`, because an application could not extend the interface if it were exported by name. */
export type * from './models/admin_user.js'
export type { InferUserAttributes, UserAttribute } from './config/user_attributes.js'
export { default as AdminSavedView } from './models/admin_saved_view.js'
export { default as AdminSession } from './models/admin_session.js'
export { default as AdminTokenBlacklist } from './models/admin_token_blacklist.js'
export { default as AdminAccessToken } from './models/admin_access_token.js'
export { default as AdminEventLog } from './models/admin_event_log.js'
export { default as AdminAuditLog } from './models/admin_audit_log.js'
export { checkAppKey, isGuessable } from './authentication/app_key.js'
export { DatabaseCheck } from './health/database_check.js'
export { roleErrors } from './roles/role_errors.js'
export { unreadFiles } from './services/site_texts.js'
export { isBelowMount } from './http/site_paths.js'
export { handleAdminError } from './http/handle_error.js'
export { SECURITY_HEADERS } from './http/compress.js'
export { EventType } from './events/event_integration.js'
export { databaseEvents } from './events/database_integration.js'
export type { ModelViewParameters } from './views/model_view.js'
export type { ModelPermissions, PermissionsDocument } from './models/permissions_document.js'
export type { AdminViewOptions, FieldOptions } from './views/view_options.js'
export type { FormPart, SectionOptions, TabOptions } from './views/form_parts.js'
export type {
  AdminEvent,
  EventDetails,
  EventIntegration,
  EventRecord,
  EventStatus,
  RecordChange,
} from './events/event_integration.js'
