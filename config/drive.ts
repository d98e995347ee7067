import app from '@adonisjs/core/services/app'
import { defineConfig, services } from '@adonisjs/drive'
import env from '#start/env'
import { PrivateFolder } from '#admin'

const disk = env.get('DRIVE_DISK', 'local')
const endpoint = env.get('S3_ENDPOINT')

/** Without keys, the SDK looks for them where AWS has them, such as the role of a machine */
const credentials = env.get('S3_ACCESS_KEY_ID') && {
  accessKeyId: env.get('S3_ACCESS_KEY_ID')!,
  secretAccessKey: env.get('S3_SECRET_ACCESS_KEY')!.release(),
}

/**
 * Where uploaded files are kept. The admin site stores them on the default disk.
 */
const driveConfig = defineConfig({
  default: disk,

  services: {
    /** The `storageDirectory` of config/admin.ts */
    local: () => new PrivateFolder(app.config.get<string>('admin.storageDirectory')),

    /** Its packages are loaded, and must be installed, only where it is used */
    ...(disk === 's3' && {
      s3: services.s3({
        bucket: env.get('S3_BUCKET')!,
        region: env.get('S3_REGION', 'us-east-1'),
        visibility: 'private',
        supportsACL: false,
        /** Milliseconds, without which a server that does not answer holds a request for ever */
        requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
        ...(credentials && { credentials }),
        /** Other servers than AWS have their buckets in the path, and may not know its newest checksums */
        ...(endpoint && {
          endpoint,
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
          responseChecksumValidation: 'WHEN_REQUIRED',
        }),
      }),
    }),
  },
})

export default driveConfig
