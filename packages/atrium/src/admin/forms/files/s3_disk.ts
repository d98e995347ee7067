import type { Secret } from '@adonisjs/core/helpers'
import type { DriverContract } from '@adonisjs/drive/types'

export interface S3Settings {
  bucket: string
  /** Default: us-east-1 */
  region?: string
  /** Address of a server other than AWS */
  endpoint?: string
  /** Without keys, the SDK looks for them where AWS has them, such as the role of a machine */
  accessKeyId?: string
  secretAccessKey?: Secret<string>
}

/**
 * A bucket of S3 as `disk` of `config/admin.ts`.
 *
 * @returns a function that creates the disk on its first use; it throws if the packages of S3 are not installed
 */
export function s3Disk({ bucket, region, endpoint, ...keys }: S3Settings) {
  return async (): Promise<DriverContract> => {
    const { S3Driver } = await import('@adonisjs/drive/drivers/s3')
    return new S3Driver({
      bucket,
      region: region ?? 'us-east-1',
      visibility: 'private',
      supportsACL: false,
      /* Milliseconds, without which a server that does not respond holds a request for ever */
      requestHandler: { connectionTimeout: 5_000, socketTimeout: 30_000 },
      ...credentialsOf(keys),
      ...(endpoint && optionsOfServer(endpoint)),
    })
  }
}

function credentialsOf({
  accessKeyId,
  secretAccessKey,
}: Pick<S3Settings, 'accessKeyId' | 'secretAccessKey'>) {
  if (!accessKeyId || !secretAccessKey) return {}
  return { credentials: { accessKeyId, secretAccessKey: secretAccessKey.release() } }
}

/** Other servers than AWS have their buckets in the path, and may not know its newest checksums. */
function optionsOfServer(endpoint: string) {
  return {
    endpoint,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  } as const
}
