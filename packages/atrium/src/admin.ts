/* The admin site, for configuration and for code that extends it. */
import '#crud'

export {
  AdminAccessToken,
  AdminAuditLog,
  AdminAuthentication,
  AdminEventLog,
  adminGuard,
  AdminRole,
  AdminSavedView,
  AdminSession,
  AdminSite,
  AdminTokenBlacklist,
  AdminUser,
  AdminView,
  apiGuard,
  BulkAction,
  databaseEvents,
  defineConfig,
  EventType,
  handleAdminError,
  ListColumn,
  ModelView,
  PrivateFolder,
  s3Disk,
  section,
  tab,
  userActor,
  Widget,
} from '#admin'
/* Exported with a star, so that applications can augment the interface AdminUserAttributes in this module. */
export type * from '#admin'
